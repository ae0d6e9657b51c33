"""Parameters of prepared statements as literals of DuckDB's, by their object ids.

A statement is run with its parameters written into it. So DuckDB sees constants: it folds them,
gives texts of unknown type the type that the place asks for, as PostgreSQL does, and a condition on
a view's key can be found in the statement.
"""

from __future__ import annotations

import datetime
import math
import re
import struct
import uuid
from collections.abc import Callable, Sequence
from decimal import Decimal

from groundswell.serve import pgtypes as t
from groundswell.serve.errors import ServeError
from groundswell.serve.lexer import PARAMETER, quoted, tokens
from groundswell.serve.values import array_items, array_text, numeric_text

NUMERIC_TYPE = "DECIMAL(38,9)"
"""What ``numeric`` without digits is: DuckDB has no decimal without a scale."""
ANY_NUMERIC = f"::{NUMERIC_TYPE}"
_NAMES = {
    t.BOOL: "BOOLEAN",
    t.BYTEA: "BLOB",
    t.INT8: "BIGINT",
    t.INT2: "SMALLINT",
    t.INT4: "INTEGER",
    t.OID: "UINTEGER",
    t.JSON: "JSON",
    3802: "JSON",  # jsonb
    t.FLOAT4: "FLOAT",
    t.FLOAT8: "DOUBLE",
    t.DATE: "DATE",
    t.TIME: "TIME",
    t.TIMESTAMP: "TIMESTAMP",
    t.TIMESTAMPTZ: "TIMESTAMPTZ",
    t.INTERVAL: "INTERVAL",
    t.UUID: "UUID",
    t.NUMERIC: NUMERIC_TYPE,
}
_TEXTS = {0, 18, 19, t.TEXT_OID, 705, 1042, 1043}
_OF_ARRAY = {array: element for element, array in t.ARRAYS.items()} | {1014: 25, 1015: 25, 1002: 25}
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_DIGITS = 38
_DATE_IN_ZONE = re.compile(r"(\d{4,}-\d\d-\d\d) ([-+]\d\d(?::\d\d)*)")
"""A date with a zone, as pgjdbc sends dates whose type it leaves open."""
_OF_TIME = (0, t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ)
_EPOCH = datetime.datetime(2000, 1, 1)


def literal(oid: int, form: int, data: bytes | None) -> str:
    """A parameter as SQL.

    Args:
        oid: of its type; 0: not known.
        form: 0 text, 1 binary.
        data: its bytes; None: null.

    Raises:
        ServeError: the bytes are no value of the type, or the type has no binary form here.
    """
    if data is None:
        return f"CAST(NULL AS {_NAMES[oid]})" if oid in _NAMES else "NULL"
    try:
        text = data.decode("utf-8") if form == t.TEXT else _of_binary(oid, data)
    except UnicodeDecodeError:
        raise ServeError("22021", "a parameter is not valid UTF-8") from None
    except (struct.error, ValueError, OverflowError) as error:
        raise ServeError(
            "22P03", f"{len(data)} bytes are not a binary value of type {oid}: {error}"
        ) from error
    return _of_text(oid, text)


def _of_text(oid: int, text: str) -> str:
    if oid in _OF_ARRAY:
        element = _OF_ARRAY[oid]
        items = ["NULL" if item is None else _of_text(element, item) for item in array_items(text)]
        if element == t.NUMERIC and set(items) - {"NULL"}:  # which have all their digits
            return f"[{', '.join(items)}]"
        return f"CAST([{', '.join(items)}] AS {_NAMES.get(element, 'VARCHAR')}[])"
    if oid in _OF_TIME and (dated := _DATE_IN_ZONE.fullmatch(text)):
        text = f"{dated[1]} 00:00:00{dated[2]}" if oid == t.TIMESTAMPTZ else dated[1]
    if oid in _TEXTS or oid not in _NAMES:
        return quoted(text)
    if oid == t.NUMERIC:
        return _number(text) or f"CAST({quoted(text)} AS DOUBLE)"
    if oid == t.BYTEA:
        return f"unhex({quoted(_hex(text))})"
    return f"CAST({quoted(text)} AS {_NAMES[oid]})"


def _hex(text: str) -> str:
    """The bytes of a bytea's text in hexadecimal digits."""
    if text.startswith("\\x"):
        return text[2:]
    plain = re.sub(r"\\(\d{3})|\\\\", lambda m: chr(int(m[1], 8)) if m[1] else "\\", text)
    return plain.encode("latin-1", "replace").hex()


def _of_binary(oid: int, data: bytes) -> str:
    if oid in _OF_ARRAY:
        return _array(_OF_ARRAY[oid], data)
    reader = _READERS.get(oid)
    if reader is not None:
        return reader(data)
    if oid in _TEXTS or oid == t.JSON:
        return data.decode("utf-8")
    if oid == 3802:
        return data[1:].decode("utf-8")
    raise ServeError("0A000", f"parameters of type {oid} are not taken in binary form; send text")


def _array(element: int, data: bytes) -> str:
    dimensions, _, _ = struct.unpack_from(">iiI", data)
    if dimensions == 0:
        return "{}"
    if dimensions != 1:
        raise ServeError("0A000", "arrays of more than one dimension are not taken as parameters")
    (count,) = struct.unpack_from(">i", data, 12)
    at, items = 20, []
    for _ in range(count):
        (length,) = struct.unpack_from(">i", data, at)
        at += 4
        value = None if length < 0 else _of_binary(element, data[at : at + length]).encode()
        items.append(value)
        at += max(length, 0)
    return array_text(items).decode()


def _unpacked(form: str) -> Callable[[bytes], str]:
    return lambda data: str(struct.unpack(form, data)[0])


def _float(form: str) -> Callable[[bytes], str]:
    def read(data: bytes) -> str:
        value = struct.unpack(form, data)[0]
        if math.isnan(value):
            return "NaN"
        return str(value) if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")

    return read


def _date(data: bytes) -> str:
    (days,) = struct.unpack(">i", data)
    return _infinite(days, 31) or (_EPOCH.date() + datetime.timedelta(days)).isoformat()


def _timestamp(zone: str) -> Callable[[bytes], str]:
    def read(data: bytes) -> str:
        (micros,) = struct.unpack(">q", data)
        found = _infinite(micros, 63)
        return found or (_EPOCH + datetime.timedelta(microseconds=micros)).isoformat(" ") + zone

    return read


def _infinite(number: int, bits: int) -> str:
    return {2**bits - 1: "infinity", -(2**bits): "-infinity"}.get(number, "")


def _time(data: bytes) -> str:
    (micros,) = struct.unpack(">q", data)
    return (_EPOCH + datetime.timedelta(microseconds=micros)).time().isoformat()


def _interval(data: bytes) -> str:
    micros, days, months = struct.unpack(">qii", data)
    return f"{months} months {days} days {micros} microseconds"


_READERS: dict[int, Callable[[bytes], str]] = {
    t.BOOL: lambda data: "true" if struct.unpack(">?", data)[0] else "false",
    t.INT2: _unpacked(">h"),
    t.INT4: _unpacked(">i"),
    t.INT8: _unpacked(">q"),
    t.OID: _unpacked(">I"),
    t.FLOAT4: _float(">f"),
    t.FLOAT8: _float(">d"),
    t.DATE: _date,
    t.TIME: _time,
    t.TIMESTAMP: _timestamp(""),
    t.TIMESTAMPTZ: _timestamp("+00"),
    t.INTERVAL: _interval,
    t.NUMERIC: numeric_text,
    t.UUID: lambda data: str(uuid.UUID(bytes=data)),
    t.BYTEA: lambda data: "\\x" + data.hex(),
}


def count(sql: str) -> int:
    """The highest number of a parameter in a statement; 0: it has none."""
    return max((int(x.text[1:]) for x in tokens(sql) if x.kind == PARAMETER), default=0)


def _number(text: str) -> str | None:
    """A number with all its digits; None: it is none, or has more than a decimal."""
    plain = text.strip()
    if not _NUMBER.fullmatch(plain):
        return None
    if "e" in plain.lower():
        value = Decimal(plain)
        exponent = value.as_tuple().exponent
        if not isinstance(exponent, int) or abs(exponent) > _DIGITS:
            return None
        plain = f"{value:f}"
    return f"({plain})"


def bound(sql: str, literals: Sequence[str]) -> str:
    """A statement with its parameters written into it.

    Raises:
        ServeError: it names a parameter that is not among them (SQLSTATE 08P01).
    """
    parts, at = [], 0
    for token in tokens(sql):
        if token.kind == PARAMETER:
            number = int(token.text[1:])
            if not 1 <= number <= len(literals):
                raise ServeError(
                    "08P01", f"there is no parameter ${number}; {len(literals)} are bound"
                )
            parts.append(sql[at : token.start])
            at = token.end
            text = literals[number - 1]
            if sql.startswith(ANY_NUMERIC, at) and text[:1] in ("'", "("):
                exact = _number(text[1:-1])
                text, at = (exact, at + len(ANY_NUMERIC)) if exact else (text, at)
            parts.append(text)
    return "".join([*parts, sql[at:]])
