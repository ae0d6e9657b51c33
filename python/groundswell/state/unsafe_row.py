"""Spark's UnsafeRow bytes as arrow columns.

A row is null bits (8 bytes for every 64 columns), one 8-byte word a column, then what does not fit
into a word; the word of such a column is ``offset << 32 | length``, the offset from the row's first
byte. All words are little-endian, and rows are padded to 8 bytes, so the rows of a table laid end
to end are one array of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from groundswell.errors import Corruption
from groundswell.state.nested import list_column, map_column, slice_of
from groundswell.state.types import arrow_type, bytes_column, fixed_column, is_fixed, is_string

WORD = 8
MOST_BYTES = (1 << 31) - 1
"""Of a column of texts whose offsets have 32 bits."""


def columns(
    rows: Sequence[bytes], schema: Any, names: Sequence[str] | None = None
) -> pa.StructArray:
    """Rows of one schema as a struct array.

    Args:
        rows: the bytes of each.
        schema: a struct as in Spark's ``DataType.json``, parsed.
        names: the columns to decode, in the schema's order; default: all.

    Raises:
        InvalidArgument: a column's type has no arrow counterpart here.
        Corruption: a row is shorter than its schema, or points outside of itself.
    """
    fields = schema["fields"]
    chosen = [(i, f) for i, f in enumerate(fields) if names is None or f["name"] in names]
    types = [pa.field(f["name"], arrow_type(f["type"], f["name"])) for _, f in chosen]
    table = _Words(rows, len(fields))
    found = [table.column(i, f["type"]) for i, f in chosen]
    if not chosen:
        return pa.array([{}] * len(rows), pa.struct([]))
    return pa.StructArray.from_arrays(found, fields=types)


class _Words:
    """Rows laid end to end, as 8-byte words."""

    def __init__(self, rows: Sequence[bytes], fields: int) -> None:
        self.rows = rows
        self.nulls = (fields + 63) // 64
        shortest = WORD * (self.nulls + fields)
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        if len(rows) and (lengths.min() < shortest or (lengths % WORD).any()):
            raise Corruption(
                f"a row of {lengths.min()} bytes is none of {fields} columns: those have a "
                f"multiple of {WORD}, and {shortest} at least"
            )
        self.words = np.frombuffer(b"".join(rows), "<i8")
        self.lengths = lengths
        self.starts = (np.cumsum(lengths) - lengths) // WORD

    def column(self, i: int, data_type: Any) -> pa.Array:
        nulls = (self.words[self.starts + i // 64] >> (i % 64) & 1).astype(bool)
        words = self.words[self.starts + self.nulls + i]
        if is_fixed(data_type):
            return fixed_column(words, nulls, data_type)
        if is_string(data_type) or data_type == "binary":
            found = self._texts(words, nulls, data_type)
            if found is not None:
                return found
        values = [
            None if null else slice_of(row, int(word))
            for row, word, null in zip(self.rows, words, nulls, strict=True)
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
        shift = self.starts * WORD + offsets - (ends - lengths)
        picks = np.repeat(shift, lengths) + np.arange(total)
        data = self.words.view(np.uint8)[picks]
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
