"""Single values in PostgreSQL's forms: numerics, arrays, JSON. Pure."""

from __future__ import annotations

import datetime
import json
import math
import re
import struct
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from groundswell.serve.errors import ServeError

_PLAIN = re.compile(rb"[^\s{}\",\\]+")
_NAN, _INFINITY, _MINUS_INFINITY = 0xC000, 0xD000, 0xF000
_SPECIAL = {"nan": _NAN, "inf": _INFINITY, "infinity": _INFINITY}
_BASE = 4
"""Decimal digits of one digit of a binary numeric."""


def numeric_bytes(text: str) -> bytes:
    """A numeric in binary form, from its text."""
    lower = text.lower()
    negative = lower.startswith("-")
    digits = lower.lstrip("+-")
    if digits in _SPECIAL:
        sign = _MINUS_INFINITY if negative and digits != "nan" else _SPECIAL[digits]
        return struct.pack(">hhHh", 0, 0, sign, 0)
    if "e" in digits:
        digits = format(Decimal(digits), "f")
    whole, _, part = digits.partition(".")
    scale = len(part)
    whole = whole.lstrip("0")
    whole = whole.zfill(-(-len(whole) // _BASE) * _BASE)
    part = part.ljust(-(-len(part) // _BASE) * _BASE, "0")
    groups = [int((whole + part)[at : at + _BASE]) for at in range(0, len(whole + part), _BASE)]
    weight = len(whole) // _BASE - 1
    while groups and groups[0] == 0:
        groups.pop(0)
        weight -= 1
    while groups and groups[-1] == 0:
        groups.pop()
    sign = 0x4000 if negative and groups else 0
    head = struct.pack(">hhHh", len(groups), weight if groups else 0, sign, scale)
    return head + b"".join(struct.pack(">h", group) for group in groups)


def numeric_text(data: bytes) -> str:
    """The text of a numeric in binary form."""
    count, weight, sign, scale = struct.unpack_from(">hhHh", data)
    for text, code in (("NaN", _NAN), ("Infinity", _INFINITY), ("-Infinity", _MINUS_INFINITY)):
        if sign == code:
            return text
    groups = struct.unpack_from(f">{count}h", data, 8)
    number = 0
    for group in groups:
        number = number * 10_000 + group
    shift = (weight + 1 - count) * _BASE + scale
    number = number * 10**shift if shift >= 0 else number // 10**-shift
    digits = str(number).zfill(scale + 1)
    text = f"{digits[: len(digits) - scale]}.{digits[len(digits) - scale :]}" if scale else digits
    return f"-{text}" if sign == 0x4000 else text


def array_text(elements: Sequence[bytes | None]) -> bytes:
    """A one-dimensional array as text."""
    return b"{" + b",".join(map(_array_element, elements)) + b"}"


def _array_element(element: bytes | None) -> bytes:
    if element is None:
        return b"NULL"
    if _PLAIN.fullmatch(element) and element.upper() != b"NULL":
        return element
    return b'"' + element.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'


ARRAY = re.compile(r"\s*\{.*\}\s*", re.DOTALL)
"""A text that may be an array's."""
_INNER = r'\\.|[^,{}"\\]'
_OUTER = r'\\.|[^\s,{}"\\]'
_ITEM = re.compile(
    rf'\s*(?:"((?:\\.|[^"\\])*)"|((?:{_OUTER})(?:(?:{_INNER})*(?:{_OUTER}))?))\s*', re.DOTALL
)


def array_items(text: str) -> list[str | None]:
    """The elements of a one-dimensional array that is given as text.

    Raises:
        ServeError: the text is not such an array (SQLSTATE 22P02).
    """
    body = text.strip()
    if not (body.startswith("{") and body.endswith("}")):
        raise _no_array(text)
    return list(_items(text, body[1:-1]))


def _items(text: str, body: str) -> Iterator[str | None]:
    at = 0
    if not body.strip():
        return
    while True:
        found = _ITEM.match(body, at)
        if found is None:
            raise _no_array(text)
        if found[1] is not None:
            yield re.sub(r"\\(.)", r"\1", found[1], flags=re.DOTALL)
        else:
            plain = re.sub(r"\\(.)", r"\1", found[2], flags=re.DOTALL)
            yield None if found[2].upper() == "NULL" else plain
        at = found.end()
        if at == len(body):
            return
        if body[at] != ",":
            raise _no_array(text)
        at += 1


def _no_array(text: str) -> ServeError:
    return ServeError(
        "22P02",
        f"{text[:80]!r} is not a one-dimensional array; expected a text such as '{{1,2,3}}'",
    )


def json_text(value: Any, of: pa.DataType) -> str:
    """A value of arrow data as JSON: decimals exact, NaN and infinities as texts, maps as objects.

    Args:
        value: as ``to_pylist`` gives it.
        of: its type.
    """
    return _encoded(_plain(value, of))


def _encoded(value: Any) -> str:
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, dict):
        inner = ",".join(f"{_encoded(str(k))}:{_encoded(v)}" for k, v in value.items())
        return "{" + inner + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_encoded, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _plain(value: Any, of: pa.DataType) -> Any:
    """A value as JSON has it; a decimal stays one."""
    if value is None:
        return None
    if pa.types.is_struct(of):
        return {name: _plain(v, of.field(name).type) for name, v in value.items()}
    if pa.types.is_map(of):
        return {_key(k, of.key_type): _plain(v, of.item_type) for k, v in value}
    if pa.types.is_list(of) or pa.types.is_large_list(of) or pa.types.is_fixed_size_list(of):
        return [_plain(v, of.value_type) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return _duration(value)
    return value if isinstance(value, bool | int | float | str | Decimal) else str(value)


def _key(value: Any, of: pa.DataType) -> str:
    plain = _plain(value, of)
    return plain if isinstance(plain, str) else _encoded(plain)


def _duration(value: datetime.timedelta) -> str:
    micros = value // datetime.timedelta(microseconds=1)
    sign, micros = ("-", -micros) if micros < 0 else ("", micros)
    seconds, micros = divmod(micros, 1_000_000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    part = f".{micros:06d}".rstrip("0") if micros else ""
    return f"{sign}{hours:02d}:{minutes:02d}:{seconds:02d}{part}"
