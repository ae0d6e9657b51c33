"""Single rows of a version by their keys, and what its commit wrote.

What an SST's index and filter say is kept, for a number of files: they never change.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

from groundswell.errors import Corruption
from groundswell.format import blocks
from groundswell.format.folder import Folder, where
from groundswell.format.manifest import SstInfo, Table

SEPARATORS = 1 << 20
BLOCKS = 4096
"""Indexes of so many blocks, and so many blocks, are kept."""
EPOCH_BYTES = 8
FILTER_KIND, BLOOM = "filter.kind", b"\1"
BLOCK_BYTES = 32
_FIRST = -1
_SALT = (
    0x47B6137B,
    0x44974D91,
    0x8824AD5B,
    0xA2B7289D,
    0x705495C7,
    0x2DF1424B,
    0x9EFC4947,
    0x5C6BFB31,
)
_MASK64, _MASK32 = (1 << 64) - 1, (1 << 32) - 1


@dataclass(frozen=True)
class Opened:
    """What is known of one SST.

    Attributes:
        separators: of its blocks: a stem, and the rank of a version of it or -1.
        places: offset and length of each block.
        filter: its filter's content; empty: it has none.
    """

    separators: list[tuple[bytes, int]]
    places: list[tuple[int, int]]
    filter: bytes


class OpenFiles:
    """Indexes, filters and blocks of SSTs, shared by all who read a pipeline."""

    def __init__(self) -> None:
        self._files: OrderedDict[tuple[str, int], Opened] = OrderedDict()
        self._blocks: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._separators = 0
        self._lock = threading.Lock()

    def opened(self, folder: Folder, info: SstInfo) -> Opened:
        """An SST's index and filter.

        Raises:
            Corruption: its file is damaged.
        """
        what = where(folder, info.file)
        name = what, info.offset
        with self._lock:
            known = self._files.get(name)
            if known is not None:
                self._files.move_to_end(name)
                return known
        found = _open(folder, info, what)
        with self._lock:
            if name not in self._files:
                self._files[name] = found
                self._separators += len(found.separators)
            while self._separators > SEPARATORS and len(self._files) > 1:
                _, oldest = self._files.popitem(last=False)
                self._separators -= len(oldest.separators)
        return found

    def block(self, folder: Folder, info: SstInfo, opened: Opened, number: int) -> bytes:
        """A data block's content."""
        offset, length = opened.places[number]
        what = where(folder, info.file)
        name = what, info.offset + offset
        with self._lock:
            known = self._blocks.get(name)
            if known is not None:
                self._blocks.move_to_end(name)
                return known
        data = folder.read(info.file, info.offset + offset, length)
        found = blocks.unframe(f"{what}, block at byte {offset}", data)
        with self._lock:
            self._blocks[name] = found
            if len(self._blocks) > BLOCKS:
                self._blocks.popitem(last=False)
        return found

    def find(self, folder: Folder, info: SstInfo, table: Table, stem: bytes) -> blocks.Entry | None:
        """The newest version of a row in one SST, deletes included; None: there is none."""
        if not info.smallest[:-EPOCH_BYTES] <= stem <= info.largest[:-EPOCH_BYTES]:
            return None
        if info.share is not None and not info.share.has(stem):
            return None
        opened = self.opened(folder, info)
        hashed = stem[-4:] if table.ordered else stem[2:6]
        if opened.filter and not may_have(opened.filter, table.id, int.from_bytes(hashed, "big")):
            return None
        number = bisect_right(opened.separators, (stem, _FIRST)) - 1
        if number < 0:
            return None
        what = f"{where(folder, info.file)}, block at byte {opened.places[number][0]}"
        for entry in blocks.entries(what, self.block(folder, info, opened, number)):
            if entry.stem >= stem:
                return entry if entry.stem == stem else None
        return None


def _open(folder: Folder, info: SstInfo, what: str) -> Opened:
    data = folder.read(info.file, info.offset + info.tail_offset, info.length - info.tail_offset)
    places = blocks.footer(what, data[-blocks.FOOTER_BYTES :])
    if places.index_offset != info.tail_offset or places.section_length != info.length:
        raise Corruption(f"{what}: its record and its footer contradict each other")
    index = blocks.index(what, blocks.unframe(f"{what}, index", data[: places.index_length]))
    content = b""
    start = places.properties_offset - info.tail_offset
    frame = data[start : start + places.properties_length]
    facts = blocks.properties(what, blocks.unframe(f"{what}, properties", frame))
    if places.filter_length and facts.get(FILTER_KIND) == BLOOM:
        start = places.filter_offset - info.tail_offset
        frame = data[start : start + places.filter_length]
        content = blocks.unframe(f"{what}, filter", frame)
    separators = [
        (entry.stem, _FIRST if entry.epoch is None else blocks.EPOCH_MASK - entry.epoch)
        for entry in index
    ]
    return Opened(separators, [(entry.offset, entry.length) for entry in index], content)


def may_have(content: bytes, table: int, hashed: int) -> bool:
    """Whether a split-block Bloom filter passes a table and an unsigned partition hash."""
    count = len(content) // BLOCK_BYTES
    key = ((table << 32 | hashed) + 0x9E3779B97F4A7C15) & _MASK64
    key = ((key ^ key >> 30) * 0xBF58476D1CE4E5B9) & _MASK64
    key = ((key ^ key >> 27) * 0x94D049BB133111EB) & _MASK64
    key ^= key >> 31
    block = ((key >> 32) * count) >> 32
    for word, salt in enumerate(_SALT):
        at = block * BLOCK_BYTES + word * 4
        bit = ((key & _MASK32) * salt & _MASK32) >> 27
        if not int.from_bytes(content[at : at + 4], "big") >> bit & 1:
            return False
    return True


def written(folder: Folder, info: SstInfo, prefix: bytes, after: int) -> Iterator[blocks.Entry]:
    """The entries of one SST that versions later than ``after`` have written.

    Args:
        folder: of the store.
        info: the SST.
        prefix: the table's id, with which their stems begin.
        after: a version.
    """
    if info.max_epoch <= after:
        return
    opened = _open(folder, info, where(folder, info.file))
    for number, (offset, length) in enumerate(opened.places):
        if opened.separators[number][0][:2] > prefix:
            return
        if number + 1 < len(opened.places) and opened.separators[number + 1][0] < prefix:
            continue
        what = f"{where(folder, info.file)}, block at byte {offset}"
        content = blocks.unframe(what, folder.read(info.file, info.offset + offset, length))
        for entry in blocks.entries(what, content):
            shown = info.share is None or info.share.has(entry.stem)
            if shown and entry.epoch > after and entry.stem.startswith(prefix):
                yield entry
