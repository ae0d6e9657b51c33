"""Arrays and maps as Spark lays them out, as arrow columns.

An array is its number of elements (8 bytes), null bits (8 bytes for every 64), then the elements:
fixed types in their own width, others as words ``offset << 32 | length`` from the array's first
byte. A map is the length of its key array (8 bytes), the key array, the value array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from groundswell.errors import Corruption
from groundswell.state.types import fixed_column, is_fixed, width_of

WORD = 8
Variable = Callable[[Sequence[bytes | None], Any], pa.Array]
"""Makes a column of values that are byte strings each: the caller's, so that types can nest."""


def list_column(values: Sequence[bytes | None], data_type: Any, variable: Variable) -> pa.Array:
    """A list column; None is null."""
    elements, offsets = _elements(values, data_type["elementType"], variable)
    missing = pa.array([v is None for v in values], pa.bool_())
    return pa.ListArray.from_arrays(offsets, elements, mask=missing)


def map_column(values: Sequence[bytes | None], data_type: Any, variable: Variable) -> pa.Array:
    """A map column; None is null."""
    keys: list[bytes | None] = []
    items: list[bytes | None] = []
    for value in values:
        if value is None:
            keys.append(None)
            items.append(None)
            continue
        length = int.from_bytes(value[:WORD], "little")
        if WORD + length > len(value):
            raise Corruption(f"a map's keys are {length} bytes of {len(value)}")
        keys.append(value[WORD : WORD + length])
        items.append(value[WORD + length :])
    key_column, offsets = _elements(keys, data_type["keyType"], variable)
    item_column, _ = _elements(items, data_type["valueType"], variable)
    missing = np.array([v is None for v in values], bool)
    with_nulls = pa.array(offsets.to_numpy(), pa.int32(), mask=np.append(missing, False))
    return pa.MapArray.from_arrays(with_nulls, key_column, item_column)


def _elements(
    values: Sequence[bytes | None], data_type: Any, variable: Variable
) -> tuple[pa.Array, pa.Array]:
    """The elements of all arrays in one column, and where each array starts and ends in it."""
    counts = [0 if v is None else int.from_bytes(v[:WORD], "little") for v in values]
    offsets = pa.array(np.concatenate(([0], np.cumsum(counts))), pa.int32())
    words: list[int] = []
    nulls: list[bool] = []
    parts: list[bytes | None] = []
    fixed, width = is_fixed(data_type), width_of(data_type)
    for value, count in zip(values, counts, strict=True):
        start = WORD + (count + 63) // 64 * WORD
        if value is None:
            continue
        if start + width * count > len(value):
            raise Corruption(f"an array of {count} elements does not fit into {len(value)} bytes")
        for i in range(count):
            null = bool(value[WORD + i // 8] >> i % 8 & 1)
            at = start + width * i
            word = int.from_bytes(value[at : at + width], "little", signed=True)
            nulls.append(null)
            words.append(word)
            if not fixed:
                parts.append(None if null else slice_of(value, word))
    if fixed:
        return fixed_column(np.array(words, np.int64), np.array(nulls, bool), data_type), offsets
    return variable(parts, data_type), offsets


def slice_of(data: bytes, word: int) -> bytes:
    """The bytes that the word of a value points at."""
    offset, length = word >> 32 & 0xFFFFFFFF, word & 0xFFFFFFFF
    if offset + length > len(data):
        raise Corruption(f"a value at {offset}, {length} long, of {len(data)} bytes in all")
    return data[offset : offset + length]
