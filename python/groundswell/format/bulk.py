"""Entries of data blocks, many at a time, as columns: their bytes are not taken out one by one.

numpy walks the entries of all restart intervals side by side. What is unusual in any way (long
stems, damaged bytes) is left to :func:`blocks.entries`, which says what is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from groundswell.format import blocks

HEADER_BYTES = 9
PADDING = 16
WIDEST_STEM = 512
"""Longer ones would take too much room side by side."""
WIDEST_SHIFT = 56


class _UnusualError(Exception):
    """The blocks are to be read one by one."""


@dataclass(frozen=True)
class Entries:
    """Entries in order.

    Attributes:
        stems: of each.
        data: has their values, and 8 bytes or more behind the last.
        starts: where in ``data`` each value starts.
        lengths: of each value; -1: the entry is a delete.
    """

    stems: pa.BinaryArray
    data: Any
    starts: Any
    lengths: Any

    def __len__(self) -> int:
        return len(self.starts)

    @staticmethod
    def of(stems: Sequence[bytes], values: Sequence[bytes | None]) -> Entries:
        """Entries of stems and values; None: a delete."""
        present = [b"" if value is None else value for value in values]
        sizes = np.fromiter(map(len, present), np.int64, len(present))
        deleted = np.fromiter((value is None for value in values), bool, len(values))
        data = np.frombuffer(b"".join(present) + bytes(PADDING), np.uint8)
        starts = np.cumsum(sizes) - sizes
        return Entries(pa.array(stems, pa.binary()), data, starts, np.where(deleted, -1, sizes))

    @staticmethod
    def together(parts: Sequence[Entries]) -> Entries:
        """The entries of some parts, one after the other."""
        if len(parts) == 1:
            return parts[0]
        shifts = np.cumsum([0, *(len(part.data) for part in parts[:-1])])
        return Entries(
            pa.concat_arrays([part.stems for part in parts]),
            np.concatenate([part.data for part in parts]),
            np.concatenate([p.starts + by for p, by in zip(parts, shifts, strict=True)]),
            np.concatenate([part.lengths for part in parts]),
        )

    def slice(self, start: int, end: int | None = None) -> Entries:
        """Those of some places; the data is shared."""
        cut = slice(start, end)
        return Entries(self.stems[cut], self.data, self.starts[cut], self.lengths[cut])

    def at(self, places: Any) -> Entries:
        """Those at some places, a sequence or an array; the data is shared."""
        picks = np.asarray(places, np.int64)
        return Entries(
            self.stems.take(pa.array(picks)), self.data, self.starts[picks], self.lengths[picks]
        )

    def newest(self) -> Entries:
        """Ascending by stem, the first of each stem, without deletes."""
        order = pc.sort_indices(self.stems).to_numpy()  # is stable
        entries = self if (order[1:] > order[:-1]).all() else self.at(order)
        stems = entries.stems
        first = np.ones(len(entries), bool)
        if len(entries) > 1:
            first[1:] = pc.not_equal(stems[1:], stems[:-1]).to_numpy(zero_copy_only=False)
        shown = first & (entries.lengths >= 0)
        return entries if shown.all() else entries.at(np.flatnonzero(shown))

    def compact(self) -> Entries:
        """The same, which hold no bytes of others."""
        return Entries.of(self.stems.to_pylist(), self.values())

    def values(self) -> list[bytes | None]:
        """The value of each; None: a delete."""
        data = memoryview(self.data)
        pairs = zip(self.starts.tolist(), self.lengths.tolist(), strict=True)
        return [None if size < 0 else bytes(data[at : at + size]) for at, size in pairs]


def entries(names: Sequence[str], contents: Sequence[bytes]) -> Entries:
    """The entries of data blocks.

    Args:
        names: of the blocks, for messages.
        contents: of the blocks, unpacked.

    Raises:
        Corruption: a block is damaged.
    """
    try:
        return _side_by_side(contents)
    except _UnusualError:
        found = [
            entry
            for name, content in zip(names, contents, strict=True)
            for entry in blocks.entries(name, content)
        ]
        return Entries.of([entry.stem for entry in found], [entry.value for entry in found])


def _side_by_side(contents: Sequence[bytes]) -> Entries:
    data = np.frombuffer(b"".join([*contents, bytes(PADDING)]), np.uint8)
    at, ends = _intervals(data, np.fromiter(map(len, contents), np.int64, len(contents)))
    lanes = np.arange(len(at))
    last, width = np.zeros((len(at), 0), np.uint8), np.zeros(len(at), np.int64)
    steps: list[tuple[Any, ...]] = []
    while len(lanes):
        shared, at = _varints(data, at)
        unshared, at = _varints(data, at)
        tag, at = _varints(data, at)
        _, at = _varints(data, at)  # the epoch
        stop = at + unshared + (tag >> 1)
        _expect((shared <= width) & (stop <= ends))
        width = shared + unshared
        last = _with_suffixes(last, shared, width, data, at)
        steps.append((lanes, last, width, at + unshared, stop, (tag & 1).astype(bool)))
        going = stop < ends
        at = stop
        if not going.all():
            lanes, last, width, at, ends = (part[going] for part in (lanes, last, width, at, ends))
    return _in_order(data, steps)


def _intervals(data: Any, sizes: Any) -> tuple[Any, Any]:
    """Where restart intervals begin and end."""
    begins = np.cumsum(sizes) - sizes
    _expect(sizes >= HEADER_BYTES + 2 * blocks.RESTART_BYTES)
    counts = _u32(data, begins + sizes - blocks.RESTART_BYTES)
    tables = sizes - blocks.RESTART_BYTES * (counts + 1)
    _expect((counts >= 1) & (tables > HEADER_BYTES))
    of = np.repeat(np.arange(len(sizes)), counts)
    number = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    starts = _u32(data, begins[of] + tables[of] + blocks.RESTART_BYTES * number)
    is_first = number == 0
    _expect(starts[is_first] == HEADER_BYTES)
    ends = np.append(starts[1:], 0)
    ends[np.append(is_first[1:], True)] = tables
    _expect(starts < ends)
    return begins[of] + starts, begins[of] + ends


def _u32(data: Any, at: Any) -> Any:
    return sum(data[at + i].astype(np.int64) << (24 - 8 * i) for i in range(4))


def _varints(data: Any, at: Any) -> tuple[Any, Any]:
    value = data[np.minimum(at, len(data) - 1)].astype(np.int64)
    at = at + 1
    more = value >= blocks.ONE_BYTE
    if not more.any():
        return value, at
    value &= 0x7F
    shift = 7
    while more.any():
        if shift > WIDEST_SHIFT:
            raise _UnusualError
        byte = data[np.minimum(at, len(data) - 1)].astype(np.int64)
        value |= np.where(more, byte & 0x7F, 0) << shift
        at = at + more
        more &= byte >= blocks.ONE_BYTE
        shift += 7
    return value, at


def _with_suffixes(last: Any, shared: Any, width: Any, data: Any, at: Any) -> Any:
    """The stems of the entries before, with what follows what they share."""
    widest = int(width.max())
    if widest > WIDEST_STEM:
        raise _UnusualError
    if widest > last.shape[1]:
        last = np.pad(last, ((0, 0), (0, widest - last.shape[1])))
    column = np.arange(last.shape[1])
    fresh = (column >= shared[:, None]) & (column < width[:, None])
    places = (at - shared)[:, None] + column
    return np.where(fresh, data[np.where(fresh, places, 0)], last)


def _in_order(data: Any, steps: Sequence[tuple[Any, ...]]) -> Entries:
    """The entries by interval, then by step."""
    if not steps:
        return Entries.of([], [])
    lanes, _, widths, starts, ends, deleted = zip(*steps, strict=True)
    order = np.argsort(np.concatenate(lanes), kind="stable")
    room = max(stems.shape[1] for _, stems, *_ in steps)
    stems = np.concatenate(
        [np.pad(stems, ((0, 0), (0, room - stems.shape[1]))) for _, stems, *_ in steps]
    )[order]
    width = np.concatenate(widths)[order]
    begin = np.concatenate(starts)[order]
    lengths = np.concatenate(ends)[order] - begin
    lengths[np.concatenate(deleted)[order]] = -1
    places = np.concatenate(([0], np.cumsum(width))).astype(np.int32)
    used = stems if (width == room).all() else stems[np.arange(room) < width[:, None]]
    buffers = [None, pa.py_buffer(places), pa.py_buffer(np.ascontiguousarray(used))]
    return Entries(pa.Array.from_buffers(pa.binary(), len(order), buffers), data, begin, lengths)


def _expect(holds: Any) -> None:
    if not holds.all():
        raise _UnusualError
