"""Keys of a view's rows, from values: Spark's UnsafeRow bytes, and Spark's Murmur3 of them.

Of whole numbers, booleans, dates and texts; other types are not looked up by key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_WORD = 8
_MASK = 0xFFFFFFFF
_SEED = 42
_INTS = {"byte": 1, "short": 2, "integer": 4, "date": 4, "long": 8}


def can_be_looked_up(data_type: Any) -> bool:
    """Whether a key may have a column of this type, as Spark's JSON says it."""
    return data_type in _INTS or data_type in ("string", "boolean")


def row_of(values: Sequence[Any], types: Sequence[Any]) -> bytes:
    """The UnsafeRow of some values; None is null.

    Args:
        values: ints (a date is its days since 1970), bools, strs.
        types: theirs, all of which :func:`can_be_looked_up`.
    """
    nulls = bytearray((len(values) + 63) // 64 * _WORD)
    fixed = bytearray()
    variable = bytearray()
    start = len(nulls) + _WORD * len(values)
    for at, (value, data_type) in enumerate(zip(values, types, strict=True)):
        if value is None:
            nulls[at // 8] |= 1 << at % 8
            fixed += bytes(_WORD)
        elif data_type == "string":
            data = value.encode("utf-8")
            fixed += ((start + len(variable)) << 32 | len(data)).to_bytes(_WORD, "little")
            variable += data + bytes(-len(data) % _WORD)
        else:
            width = 1 if data_type == "boolean" else _INTS[data_type]
            fixed += int(value).to_bytes(width, "little", signed=data_type != "boolean")
            fixed += bytes(_WORD - width)
    return bytes(nulls + fixed + variable)


def hash_of(values: Sequence[Any], types: Sequence[Any]) -> int:
    """Spark's Murmur3 of some values, as an unsigned number of 32 bits."""
    found = _SEED
    for value, data_type in zip(values, types, strict=True):
        if value is None:
            continue
        if data_type == "string":
            found = _of_bytes(value.encode("utf-8"), found)
        elif data_type == "long":
            low, high = value & _MASK, value >> 32 & _MASK
            found = _finished(_mixed(_mixed(found, low), high), 8)
        else:
            found = _finished(_mixed(found, int(value) & _MASK), 4)
    return found


def _of_bytes(data: bytes, seed: int) -> int:
    """Words of four bytes, then each byte that is left, signed, as a word of its own."""
    whole = len(data) - len(data) % 4
    found = seed
    for at in range(0, whole, 4):
        found = _mixed(found, int.from_bytes(data[at : at + 4], "little"))
    for byte in data[whole:]:
        found = _mixed(found, (byte - 256 if byte > 127 else byte) & _MASK)
    return _finished(found, len(data))


def _mixed(state: int, word: int) -> int:
    word = word * 0xCC9E2D51 & _MASK
    word = (word << 15 | word >> 17) & _MASK
    state ^= word * 0x1B873593 & _MASK
    state = (state << 13 | state >> 19) & _MASK
    return (state * 5 + 0xE6546B64) & _MASK


def _finished(state: int, length: int) -> int:
    state ^= length
    state = (state ^ state >> 16) * 0x85EBCA6B & _MASK
    state = (state ^ state >> 13) * 0xC2B2AE35 & _MASK
    return state ^ state >> 16
