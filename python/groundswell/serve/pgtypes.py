"""Columns of results as PostgreSQL's types: object ids, and values as text or binary.

DuckDB casts to text itself, outside of Python's lock: a codec is an expression that DuckDB
evaluates over the column, and a function from the arrow array to the bytes of each value.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from groundswell.format.python_values import python_values
from groundswell.serve.values import array_text, json_text, numeric_bytes

Values = list[bytes | None]
Convert = Callable[[pa.Array], Values]

TEXT, BINARY = 0, 1
BOOL, BYTEA, INT8, INT2, INT4, TEXT_OID, OID, JSON = 16, 17, 20, 21, 23, 25, 26, 114
FLOAT4, FLOAT8, DATE, TIME, TIMESTAMP, TIMESTAMPTZ = 700, 701, 1082, 1083, 1114, 1184
INTERVAL, NUMERIC, UUID = 1186, 1700, 2950
ARRAYS = {
    BOOL: 1000,
    BYTEA: 1001,
    INT2: 1005,
    INT4: 1007,
    TEXT_OID: 1009,
    INT8: 1016,
    OID: 1028,
    FLOAT4: 1021,
    FLOAT8: 1022,
    TIMESTAMP: 1115,
    DATE: 1182,
    TIME: 1183,
    TIMESTAMPTZ: 1185,
    INTERVAL: 1187,
    NUMERIC: 1231,
    UUID: 2951,
}
"""The array type of each type that has one here."""

EPOCH_DAYS, EPOCH_MICROS = 10_957, 946_684_800_000_000
"""2000-01-01, from which PostgreSQL counts, in days and microseconds since 1970."""


@dataclass(frozen=True)
class Codec:
    """How values of one type leave.

    Attributes:
        oid: of the type.
        size: bytes of a value in binary form; -1: it varies.
        modifier: precision and scale of a numeric; -1: none.
        text: the expression for the text form, with ``{}`` for the column.
        binary: likewise for the binary form.
        pack: the binary form of what ``binary`` gives.
        unpack_text: the text form of what ``text`` gives.
    """

    oid: int
    size: int
    text: str
    binary: str
    pack: Convert
    unpack_text: Convert
    modifier: int = -1

    def expression(self, column: str, form: int) -> str:
        """What DuckDB evaluates for a column."""
        return (self.binary if form == BINARY else self.text).replace("{}", column)

    def values(self, array: pa.Array, form: int) -> Values:
        """The bytes of each value; None is null."""
        return self.pack(array) if form == BINARY else self.unpack_text(array)


def strings(array: pa.Array) -> Values:
    """Texts and byte strings as they are."""
    if pa.types.is_null(array.type):
        return [None] * len(array)
    found: Values = array.cast(pa.large_binary()).to_pylist()
    return found


def _numbers(form: str, arrow: pa.DataType, offset: int = 0) -> Convert:
    width = np.dtype(form).itemsize

    def pack(array: pa.Array) -> Values:
        if array.null_count == len(array):
            return [None] * len(array)
        plain = array.cast(arrow) if array.type != arrow else array
        valid = np.asarray(plain.is_valid())
        zero = pa.scalar(0, plain.type)
        dense = np.asarray(pc.fill_null(plain, zero))
        if offset:
            ends = np.iinfo(dense.dtype)
            finite = (dense > ends.min + 1) & (dense != ends.max)
            dense = np.where(finite, dense - offset, np.where(dense > 0, ends.max, ends.min))
        data = dense.astype(form).tobytes()
        return [
            data[at * width : at * width + width] if there else None
            for at, there in enumerate(valid)
        ]

    return pack


def _days(array: pa.Array) -> Values:
    return _numbers(">i4", pa.int32(), EPOCH_DAYS)(array.cast(pa.int32()))


def _micros(array: pa.Array) -> Values:
    return _numbers(">i8", pa.int64(), EPOCH_MICROS)(array.cast(pa.int64()))


def _bools(array: pa.Array) -> Values:
    if pa.types.is_null(array.type):
        return [None] * len(array)
    return [None if v is None else (b"\1" if v else b"\0") for v in array.to_pylist()]


def _intervals(array: pa.Array) -> Values:
    return [
        None if v is None else struct.pack(">qii", v["u"], v["d"], v["m"])
        for v in array.to_pylist()
    ]


def _numerics(array: pa.Array) -> Values:
    return [None if v is None else numeric_bytes(v) for v in array.to_pylist()]


def _uuids(array: pa.Array) -> Values:
    return [None if v is None else bytes.fromhex(v.replace("-", "")) for v in array.to_pylist()]


def _jsons(array: pa.Array) -> Values:
    return [None if v is None else json_text(v, array.type).encode() for v in python_values(array)]


def _simple(oid: int, size: int, pack: Convert, to: str = "") -> Codec:
    shown = f"CAST({{}} AS {to})" if to else "{}"
    return Codec(oid, size, f"CAST({shown} AS VARCHAR)", shown, pack, strings)


def _dated(oid: int, size: int, pack: Convert, to: str) -> Codec:
    text = f"replace(CAST(CAST({{}} AS {to}) AS VARCHAR), ' (BC)', ' BC')"
    return Codec(oid, size, text, f"CAST({{}} AS {to})", pack, strings)


_FLOAT_TEXT = (
    "CASE WHEN isnan({}) THEN 'NaN' WHEN isinf({}) THEN if({} > 0, 'Infinity', '-Infinity') "
    "ELSE CAST({} AS VARCHAR) END"
)
_INTERVAL = (
    "CASE WHEN {} IS NOT NULL THEN struct_pack("
    "m := CAST(datepart('year', {}) * 12 + datepart('month', {}) AS BIGINT), "
    "d := CAST(datepart('day', {}) AS BIGINT), "
    "u := CAST(datepart('hour', {}) AS BIGINT) * 3600000000 "
    "+ CAST(datepart('minute', {}) AS BIGINT) * 60000000 + datepart('microsecond', {})) END"
)
_AS_TEXT = Codec(TEXT_OID, -1, "CAST({} AS VARCHAR)", "CAST({} AS VARCHAR)", strings, strings)
_WIDE = Codec(NUMERIC, -1, "CAST({} AS VARCHAR)", "CAST({} AS VARCHAR)", _numerics, strings)
_AS_JSON = Codec(JSON, -1, "{}", "{}", _jsons, _jsons)
_INTS = {
    INT2: _simple(INT2, 2, _numbers(">i2", pa.int16()), "SMALLINT"),
    INT4: _simple(INT4, 4, _numbers(">i4", pa.int32()), "INTEGER"),
    INT8: _simple(INT8, 8, _numbers(">i8", pa.int64()), "BIGINT"),
}
_CODECS: dict[str, Codec] = {
    "boolean": Codec(
        BOOL, 1, "CASE WHEN {} THEN 't' WHEN NOT {} THEN 'f' END", "{}", _bools, strings
    ),
    "tinyint": _INTS[INT2],
    "smallint": _INTS[INT2],
    "utinyint": _INTS[INT2],
    "integer": _INTS[INT4],
    "usmallint": _INTS[INT4],
    "bigint": _INTS[INT8],
    "uinteger": _simple(OID, 4, _numbers(">u4", pa.uint32())),
    "float": Codec(FLOAT4, 4, _FLOAT_TEXT, "{}", _numbers(">f4", pa.float32()), strings),
    "double": Codec(FLOAT8, 8, _FLOAT_TEXT, "{}", _numbers(">f8", pa.float64()), strings),
    "hugeint": _WIDE,
    "uhugeint": _WIDE,
    "ubigint": _WIDE,
    "varchar": _AS_TEXT,
    "blob": Codec(BYTEA, -1, "'\\x' || lower(hex({}))", "{}", strings, strings),
    "date": _dated(DATE, 4, _days, "DATE"),
    "time": _simple(TIME, 8, _numbers(">i8", pa.int64()), "TIME"),
    "timestamp with time zone": _dated(TIMESTAMPTZ, 8, _micros, "TIMESTAMPTZ"),
    "interval": Codec(
        INTERVAL,
        16,
        "replace(CAST({} AS VARCHAR), ' month', ' mon')",
        _INTERVAL,
        _intervals,
        strings,
    ),
    "uuid": Codec(UUID, 16, "CAST({} AS VARCHAR)", "CAST({} AS VARCHAR)", _uuids, strings),
    "json": Codec(JSON, -1, "CAST({} AS VARCHAR)", "CAST({} AS VARCHAR)", strings, strings),
    "struct": _AS_JSON,
    "map": _AS_JSON,
    "union": _AS_JSON,
}
for _name in ("time_ns", "time with time zone"):
    _CODECS[_name] = _CODECS["time"]
for _name in ("timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns"):
    _CODECS[_name] = _dated(TIMESTAMP, 8, _micros, "TIMESTAMP")


def codec_of(duck_type: Any) -> Codec:
    """How values of a DuckDB type leave; what has no type of PostgreSQL's leaves as text."""
    text = str(duck_type).lower()
    kind = str(getattr(duck_type, "id", text)).lower()
    if kind == "decimal":
        facts = dict(duck_type.children)
        modifier = ((facts["precision"] << 16) | facts["scale"]) + 4
        return Codec(NUMERIC, -1, _WIDE.text, _WIDE.binary, _numerics, strings, modifier)
    if kind in ("list", "array"):
        return _array_codec(dict(duck_type.children)["child"])
    return _CODECS.get(text) or _CODECS.get(kind) or _AS_TEXT


def _array_codec(child: Any) -> Codec:
    element = codec_of(child)
    if element.oid not in ARRAYS or str(getattr(child, "id", "")).lower() in ("list", "array"):
        return _AS_JSON

    def mapped(form: int) -> str:
        return f"list_transform({{}}, lambda x : {element.expression('x', form)})"

    def texts(array: pa.Array) -> Values:
        return [
            None if row is None else array_text(row)
            for row in _rows(array, lambda flat: element.values(flat, TEXT))
        ]

    def pack(array: pa.Array) -> Values:
        return [
            None if row is None else array_bytes(row, element.oid)
            for row in _rows(array, lambda flat: element.values(flat, BINARY))
        ]

    return Codec(ARRAYS[element.oid], -1, mapped(TEXT), mapped(BINARY), pack, texts)


def _rows(array: pa.Array, convert: Convert) -> list[Values | None]:
    """The elements of each list, converted all at once."""
    if pa.types.is_null(array.type):
        return [None] * len(array)
    flat = convert(array.flatten())
    lengths = array.value_lengths().to_pylist()
    found: list[Values | None] = []
    at = 0
    for length in lengths:
        found.append(None if length is None else flat[at : at + length])
        at += length or 0
    return found


def array_bytes(elements: Sequence[bytes | None], oid: int) -> bytes:
    """A one-dimensional array in binary form."""
    nulls = int(any(e is None for e in elements))
    if not elements:
        return struct.pack(">iiI", 0, 0, oid)
    parts = [struct.pack(">iiIii", 1, nulls, oid, len(elements), 1)]
    for element in elements:
        parts.append(struct.pack(">i", -1 if element is None else len(element)))
        parts.append(element or b"")
    return b"".join(parts)
