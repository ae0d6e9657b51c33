"""Spark's UnsafeRow bytes as arrow columns.

A row is null bits (8 bytes for every 64 columns), one 8-byte word a column, then what does not fit
into a word; the word of such a column is ``offset << 32 | length``, the offset from the row's first
byte. All words are little-endian, and rows are padded to 8 bytes. Rows may lie anywhere in the
bytes that they are read from: one word of all rows is taken at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from groundswell.errors import Corruption
from groundswell.state.nested import list_column, map_column, slice_of
from groundswell.state.types import arrow_type, bytes_column, fixed_column, is_fixed, is_string

WORD = 8
MOST_BYTES = (1 << 31) - 1
"""Of a column of texts whose offsets have 32 bits."""


@dataclass(frozen=True)
class Laid:
    """Rows that lie somewhere in an array of bytes.

    Attributes:
        data: bytes; 8 or more follow the last row.
        starts: where each row starts.
        lengths: of each row.
    """

    data: Any
    starts: Any
    lengths: Any

    @staticmethod
    def of(rows: Sequence[bytes]) -> Laid:
        """Rows laid end to end."""
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        data = np.frombuffer(b"".join([*rows, bytes(WORD)]), np.uint8)
        return Laid(data, np.cumsum(lengths) - lengths, lengths)


def columns(
    rows: Sequence[bytes] | Laid, schema: Any, names: Sequence[str] | None = None
) -> pa.StructArray:
    """Rows of one schema as a struct array.

    Args:
        rows: the bytes of each, or where they lie.
        schema: a struct as in Spark's ``DataType.json``, parsed.
        names: the columns to decode, in the schema's order; default: all.

    Raises:
        InvalidArgument: a column's type has no arrow counterpart here.
        Corruption: a row is shorter than its schema, or points outside of itself.
    """
    fields = schema["fields"]
    chosen = [(i, f) for i, f in enumerate(fields) if names is None or f["name"] in names]
    types = [pa.field(f["name"], arrow_type(f["type"], f["name"])) for _, f in chosen]
    laid = rows if isinstance(rows, Laid) else Laid.of(rows)
    table = _Words(laid, len(fields))
    found = [table.column(i, f["type"]) for i, f in chosen]
    if not chosen:
        return pa.array([{}] * len(laid.starts), pa.struct([]))
    return pa.StructArray.from_arrays(found, fields=types)


class _Words:
    """Rows as 8-byte words."""

    def __init__(self, rows: Laid, fields: int) -> None:
        self.nulls = (fields + 63) // 64
        shortest = WORD * (self.nulls + fields)
        lengths = rows.lengths
        if len(lengths) and (lengths.min() < shortest or (lengths % WORD).any()):
            raise Corruption(
                f"a row of {lengths.min()} bytes is none of {fields} columns: those have a "
                f"multiple of {WORD}, and {shortest} at least"
            )
        self.data, self.starts, self.lengths = rows.data, rows.starts, lengths
        places = max(len(self.data) - WORD + 1, 0)
        self.words = np.ndarray((places,), "<i8", self.data, strides=(1,))

    def column(self, i: int, data_type: Any) -> pa.Array:
        nulls = (self.words[self.starts + WORD * (i // 64)] >> (i % 64) & 1).astype(bool)
        words = self.words[self.starts + WORD * (self.nulls + i)]
        if is_fixed(data_type):
            return fixed_column(words, nulls, data_type)
        if is_string(data_type) or data_type == "binary":
            found = self._texts(words, nulls, data_type)
            if found is not None:
                return found
        data = memoryview(self.data)
        values = [
            None if null else slice_of(bytes(data[start : start + length]), word)
            for start, length, word, null in zip(
                self.starts.tolist(), self.lengths.tolist(), words.tolist(), nulls, strict=True
            )
        ]
        return variable_column(values, data_type)

    def _texts(self, words: Any, nulls: Any, data_type: Any) -> pa.Array | None:
        """Texts or byte strings, gathered at once; None: some need to be looked at one by one."""
        lengths = np.where(nulls, 0, words & 0xFFFFFFFF)
        offsets = np.where(nulls, 0, words >> 32 & 0xFFFFFFFF)
        total = int(lengths.sum())
        if (offsets + lengths > self.lengths).any() or total > MOST_BYTES:
            return None
        ends = np.cumsum(lengths)
        shift = self.starts + offsets - (ends - lengths)
        picks = np.repeat(shift, lengths) + np.arange(total)
        data = self.data[picks]
        places = np.concatenate(([0], ends)).astype(np.int32)
        valid = np.packbits(~nulls, bitorder="little")
        buffers = [pa.py_buffer(valid), pa.py_buffer(places), pa.py_buffer(data)]
        kind = pa.string() if is_string(data_type) else pa.binary()
        found = pa.Array.from_buffers(kind, len(words), buffers)
        try:
            found.validate(full=True)
        except pa.ArrowInvalid:  # not UTF-8
            return None
        return found


def variable_column(values: Sequence[bytes | None], data_type: Any) -> pa.Array:
    """Values that do not fit into a word, from their bytes."""
    kind = data_type["type"] if isinstance(data_type, dict) else data_type
    if kind == "struct":
        present = [v for v in values if v is not None]
        dense = columns(present, data_type)
        positions = iter(range(len(present)))
        picks = pa.array([None if v is None else next(positions) for v in values], pa.int64())
        return dense.take(picks)
    if kind == "array":
        return list_column(values, data_type, variable_column)
    if kind == "map":
        return map_column(values, data_type, variable_column)
    return bytes_column(values, data_type)
