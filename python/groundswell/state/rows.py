"""Values that are rows with a head each: lists, and rows whose schema may change.

Before each row stands a word: the number of its schema (4 bytes, big-endian) and its length (4). A
first word whose highest bit is set is not a row's: its low 31 bits say how many segments follow the
list's head. These stand in a table of their own, under the list's key and their number (4), and
look as a list in one piece.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import pyarrow as pa

from groundswell.errors import Corruption, InvalidArgument
from groundswell.state import unsafe_row
from groundswell.state.evolution import promoted
from groundswell.state.schema import TableSchema

WORD, HALF = 8, 4
SEGMENTED = 1 << 63
SEGMENTS = "$segments_"

Headed = tuple[int, bytes]
"""The number of a row's schema, and the row."""


def rows_of_list(key: bytes, value: bytes, segments: Mapping[bytes, bytes]) -> list[Headed]:
    """The rows of one value, in the order in which they were appended.

    Args:
        key: its key.
        value: the list, or its head.
        segments: the table of segments, value by key.

    Raises:
        Corruption: the value is none of rows, or a segment of it is missing.
    """
    first = int.from_bytes(value[:WORD], "big")
    if len(value) < WORD or not first & SEGMENTED:
        return _rows(value)
    rows = _rows(value[WORD:])
    for number in range(1, (first & 0x7FFFFFFF) + 1):
        segment = segments.get(key + number.to_bytes(HALF, "big"))
        if segment is None:
            raise Corruption(f"segment {number} of the list at key {key.hex()} is missing")
        rows += _rows(segment)
    return rows


def _rows(data: bytes) -> list[Headed]:
    rows, at = [], 0
    while at < len(data):
        schema = int.from_bytes(data[at : at + HALF], "big")
        length = int.from_bytes(data[at + HALF : at + WORD], "big")
        at += WORD
        if at + length > len(data):
            raise Corruption(f"a row of {length} bytes at byte {at} of {len(data)}")
        rows.append((schema, data[at : at + length]))
        at += length
    return rows


def list_column(values: Sequence[Sequence[Headed]], types: TableSchema, evolves: bool) -> pa.Array:
    """Lists of rows as a column of lists of structs."""
    flat = row_column([row for rows in values for row in rows], types, evolves)
    offsets = pa.array([0, *accumulate(map(len, values))], pa.int32())
    return pa.ListArray.from_arrays(offsets, flat)


def row_column(rows: Sequence[Headed], types: TableSchema, evolves: bool) -> pa.Array:
    """Rows as a struct column of the newest schema.

    Args:
        rows: each with the number of the schema that it was written with.
        types: of their table.
        evolves: whether these numbers mean anything; else there is one schema.

    Raises:
        InvalidArgument: Spark left no schema of such a number.
    """
    if not evolves:
        return unsafe_row.columns([row for _, row in rows], types.value)
    numbers = sorted({number for number, _ in rows})
    if not numbers:
        return unsafe_row.columns([], types.value)
    parts = []
    for number in numbers:
        schema = _schema(types, number)
        written = [row for n, row in rows if n == number]
        parts.append(promoted(unsafe_row.columns(written, schema), schema, types.value, "value"))
    if len(parts) == 1:
        return parts[0]
    at = dict.fromkeys(numbers, 0)
    for number, _ in rows:
        at[number] += 1
    at = dict(zip(numbers, accumulate([0, *at.values()]), strict=False))  # where each part begins
    picks = []
    for number, _ in rows:
        picks.append(at[number])
        at[number] += 1
    return pa.concat_arrays(parts).take(pa.array(picks, pa.int64()))


def _schema(types: TableSchema, number: int) -> Any:
    if number not in types.values:
        raise InvalidArgument(
            f"a row was written with schema {number} of its value, of which Spark left "
            f"{sorted(types.values) or 'none'}; raw=True gives the bytes of the rows"
        )
    return types.values[number]
