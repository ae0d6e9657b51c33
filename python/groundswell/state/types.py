"""Spark's types as arrow types, and the values of those that are one word or one byte string."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from groundswell.errors import InvalidArgument

VOID = "void"
_DECIMAL = re.compile(r"decimal\((\d+),(-?\d+)\)")
_WIDTHS: dict[str, tuple[str, pa.DataType]] = {
    "boolean": ("<i1", pa.bool_()),
    "byte": ("<i1", pa.int8()),
    "short": ("<i2", pa.int16()),
    "integer": ("<i4", pa.int32()),
    "date": ("<i4", pa.date32()),
    "long": ("<i8", pa.int64()),
    "timestamp": ("<i8", pa.timestamp("us", "UTC")),
    "timestamp_ntz": ("<i8", pa.timestamp("us")),
    "float": ("<f4", pa.float32()),
    "double": ("<f8", pa.float64()),
}
_MAX_LONG_DECIMAL = 18
"""Decimals of so many digits are an unscaled long in the word."""


def _scalar(data_type: Any) -> tuple[str, pa.DataType] | None:
    """The numpy and arrow type of a value that fits into a word."""
    if not isinstance(data_type, str):
        return None
    if data_type.startswith(("interval day", "interval hour", "interval minute")):
        return "<i8", pa.duration("us")
    if data_type.startswith(("interval year", "interval month")):
        return "<i4", pa.int32()
    if data_type.startswith("time("):
        return "<i8", pa.time64("ns")
    return _WIDTHS.get(data_type)


def decimal_of(data_type: Any) -> tuple[int, int] | None:
    """Precision and scale, if it is a decimal."""
    found = _DECIMAL.fullmatch(data_type) if isinstance(data_type, str) else None
    return (int(found[1]), int(found[2])) if found else None


def is_string(data_type: Any) -> bool:
    """Strings, whatever their collation or length limit."""
    return isinstance(data_type, str) and data_type.split("(")[0].split(" ")[0] in (
        "string",
        "char",
        "varchar",
    )


def is_fixed(data_type: Any) -> bool:
    """Whether the word is the value."""
    decimal = decimal_of(data_type)
    return (
        data_type == VOID
        or _scalar(data_type) is not None
        or (decimal is not None and decimal[0] <= _MAX_LONG_DECIMAL)
    )


def width_of(data_type: Any) -> int:
    """Bytes of one element in an array: of a fixed type its own size, else a word."""
    scalar = _scalar(data_type)
    return np.dtype(scalar[0]).itemsize if scalar else 8


def arrow_type(data_type: Any, column: str) -> pa.DataType:
    """The arrow type of a Spark type.

    Raises:
        InvalidArgument: there is none (variants, calendar intervals, user-defined types).
    """
    scalar, decimal = _scalar(data_type), decimal_of(data_type)
    if scalar:
        return scalar[1]
    if decimal:
        return pa.decimal128(*decimal)
    if is_string(data_type):
        return pa.string()
    if data_type == "binary":
        return pa.binary()
    if data_type == VOID:
        return pa.null()
    kind = data_type.get("type") if isinstance(data_type, dict) else None
    if kind == "struct":
        return pa.struct(
            [
                (f["name"], arrow_type(f["type"], f"{column}.{f['name']}"))
                for f in data_type["fields"]
            ]
        )
    if kind == "array":
        return pa.list_(arrow_type(data_type["elementType"], f"{column}.element"))
    if kind == "map":
        return pa.map_(
            arrow_type(data_type["keyType"], f"{column}.key"),
            arrow_type(data_type["valueType"], f"{column}.value"),
        )
    raise InvalidArgument(
        f"column {column!r} is of type {data_type}, which cannot be shown as arrow data: leave it "
        "out (columns= of view_to_arrow), or take the bytes (raw=True of read_state)"
    )


def fixed_column(
    words: npt.NDArray[np.int64], nulls: npt.NDArray[np.bool_], data_type: Any
) -> pa.Array:
    """A column whose words are its values."""
    if data_type == VOID:
        return pa.nulls(len(words))
    decimal = decimal_of(data_type)
    if decimal:
        return _short_decimals(words.astype("<i8"), nulls, pa.decimal128(*decimal))
    scalar = _scalar(data_type)
    assert scalar is not None, data_type
    numpy_type, arrow = scalar
    narrow = words.astype("<i8").view(numpy_type)
    step = 8 // np.dtype(numpy_type).itemsize
    return cast(np.ascontiguousarray(narrow[::step]), nulls, arrow)


def _short_decimals(
    words: npt.NDArray[np.int64], nulls: npt.NDArray[np.bool_], arrow: pa.DataType
) -> pa.Array:
    """Unscaled longs as decimals of 128 bits, two words each, the sign in all of the upper."""
    wide = np.empty((len(words), 2), "<i8")
    wide[:, 0] = words
    wide[:, 1] = words >> 63
    valid = pa.py_buffer(np.packbits(~nulls, bitorder="little"))
    return pa.Array.from_buffers(arrow, len(words), [valid, pa.py_buffer(wide)])


def cast(values: npt.NDArray[Any], nulls: npt.NDArray[np.bool_], arrow: pa.DataType) -> pa.Array:
    """Numbers as arrow values of a type of the same width."""
    if pa.types.is_boolean(arrow):
        return pa.array(values.astype(bool), mask=nulls)
    return pa.array(values, mask=nulls).view(arrow)


def bytes_column(values: Sequence[bytes | None], data_type: Any) -> pa.Array:
    """Strings, binaries and long decimals, each value one byte string."""
    decimal = decimal_of(data_type)
    if decimal:
        numbers = [
            None if v is None else _unscaled(int.from_bytes(v, "big", signed=True), decimal[1])
            for v in values
        ]
        return pa.array(numbers, pa.decimal128(*decimal))
    if is_string(data_type):
        texts = [None if v is None else v.decode("utf-8", "replace") for v in values]
        return pa.array(texts, pa.string())
    return pa.array(values, pa.binary())


def _unscaled(number: int, scale: int) -> Decimal:
    """Exact, whatever the decimal context's precision."""
    sign, digits, _ = Decimal(number).as_tuple()
    return Decimal((sign, digits, -scale))
