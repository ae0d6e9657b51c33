"""Versions of a store, and the rows that each shows."""

import heapq
import re
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from groundswell.errors import Corruption, InvalidArgument, VersionUnavailable
from groundswell.format import blocks, manifest
from groundswell.format.folder import Folder, where
from groundswell.format.lookup import OpenFiles, written
from groundswell.format.manifest import Manifest, SstInfo, Table
from groundswell.format.packs import open_store

if TYPE_CHECKING:
    from groundswell.format.bulk import Entries

COMMIT = re.compile(r"(\d{20})-([0-9a-f]{20})\.commit")
TABLE_BYTES, HASH_BYTES = 2, 4
GROUP_BYTES = 4 << 20
"""Blocks of about so many stored bytes are read together."""


class Row(NamedTuple):
    """A row as a version shows it.

    Attributes:
        hash: the partition hash, a signed 32-bit number as on the JVM.
        epoch: the version that wrote it.
    """

    key: bytes
    value: bytes
    hash: int
    epoch: int


class Store:
    """One store, read-only.

    Args:
        folder: a path, a ``file:`` or ``s3://`` URI, or anything that lists and reads
            (see `Folder`).
    """

    def __init__(self, folder: str | Path | Folder) -> None:
        self.folder: Folder = open_store(folder) if isinstance(folder, (str, Path)) else folder

    def versions(self) -> dict[int, str]:
        """The versions that can be opened, ascending, with the id of the last attempt at each."""
        found: dict[int, str] = {}
        for name in sorted(self.folder.names()):
            parts = COMMIT.fullmatch(name)
            if parts:
                found[int(parts[1])] = parts[2]
        return found

    def version(self, number: int | None = None, commit_id: str | None = None) -> "Version":
        """Opens a version.

        Args:
            number: default: the newest.
            commit_id: which of several attempts at it; default: the last.

        Raises:
            VersionUnavailable: it was never committed, or is retired.
        """
        known = {} if number is not None and commit_id else self.versions()
        if number is None and known:
            number = max(known)
        commit_id = commit_id or known.get(-1 if number is None else number)
        if number is None or commit_id is None:
            raise VersionUnavailable(
                f"{self.folder.location} has no version {'' if number is None else number}; "
                f"it has {list(known) or 'none'}"
            )
        name = f"{number:020d}-{commit_id}.commit"
        found = manifest.load(self.folder, name)
        if (found.version, found.id) != (number, commit_id):
            raise Corruption(
                f"{where(self.folder, name)}: it is of version {found.version}, id {found.id}"
            )
        return Version(self.folder, found)


class Version:
    """One version of a store."""

    def __init__(self, folder: Folder, picture: Manifest) -> None:
        self._folder = folder
        self.manifest = picture

    def table(self, name: str) -> Table:
        """The table of that name; `InvalidArgument` if there is none."""
        for table in self.manifest.tables:
            if table.name == name:
                return table
        raise InvalidArgument(
            f"version {self.manifest.version} of {self._folder.location} has no table '{name}'; "
            f"it has {[table.name for table in self.manifest.tables]}"
        )

    def scan(self, name: str) -> Iterator[Row]:
        """All rows of a table, in the order of their internal keys.

        Raises:
            InvalidArgument: there is no such table.
            Corruption: a file is damaged; its name is in the message.
        """
        table = self.table(name)
        for entry in self._newest(table):
            assert entry.value is not None
            yield _row(table, entry.stem, entry.value, entry.epoch)

    def stems(self, name: str) -> Iterator[tuple[bytes, bytes]]:
        """Stems and values of all rows of a table, ascending by stem.

        Raises:
            InvalidArgument: there is no such table.
            Corruption: a file is damaged; its name is in the message.
        """
        for entry in self._newest(self.table(name)):
            assert entry.value is not None
            yield entry.stem, entry.value

    def groups(self, name: str) -> Iterator["Entries"]:
        """The rows of a table as :meth:`stems` has them, many at a time, as columns.

        This takes a fraction of the time, and needs numpy and pyarrow.

        Raises:
            InvalidArgument: there is no such table.
            Corruption: a file is damaged; its name is in the message.
        """
        from groundswell.format.bulk import Entries

        table = self.table(name)
        prefix = table.id.to_bytes(TABLE_BYTES, "big")
        files = [
            _Blocks(self._folder, info, self._index(info), prefix)
            for run in self.manifest.runs  # the newest of a row comes first
            for info in run
            if info.smallest[:TABLE_BYTES] <= prefix <= info.largest[:TABLE_BYTES]
        ]
        for end in _bounds(files):
            parts = [part for file in files if len(part := file.before(end))]
            found = Entries.together(parts).newest() if parts else None
            if found is not None and table.watermark:
                stems = found.stems.to_pylist()
                alive = [i for i, s in enumerate(stems) if key_of(table, s) >= table.watermark]
                found = found.at(alive)
            if found is not None and len(found):
                yield found

    def get(self, name: str, stem: bytes, files: OpenFiles) -> bytes | None:
        """The value of one row; None: there is no such row.

        Args:
            name: of the table.
            stem: of the row, see docs/format.md.
            files: what is known of the SSTs.

        Raises:
            InvalidArgument: there is no such table.
            Corruption: a file is damaged; its name is in the message.
        """
        table = self.table(name)
        if table.watermark and key_of(table, stem) < table.watermark:
            return None
        for run in self.manifest.runs:
            for info in run:
                entry = files.find(self._folder, info, table, stem)
                if entry is not None:
                    return entry.value
        return None

    def written(self, name: str, after: int) -> dict[bytes, bytes | None]:
        """The rows of a table that versions later than ``after`` wrote: values by stem.

        None is a row that was deleted.

        Raises:
            InvalidArgument: there is no such table.
            Corruption: a file is damaged; its name is in the message.
        """
        table = self.table(name)
        prefix = table.id.to_bytes(TABLE_BYTES, "big")
        newest: dict[bytes, blocks.Entry] = {}
        for run in self.manifest.runs:
            for info in run:
                for entry in written(self._folder, info, prefix, after):
                    known = newest.get(entry.stem)
                    if known is None or known.epoch < entry.epoch:
                        newest[entry.stem] = entry
        return {stem: entry.value for stem, entry in newest.items()}

    def _newest(self, table: Table) -> Iterator[blocks.Entry]:
        """The newest entry of each row, ascending by stem, without deleted and dead rows."""
        prefix = table.id.to_bytes(TABLE_BYTES, "big")
        sources = [
            self._entries(info, prefix)
            for run in self.manifest.runs
            for info in run
            if info.smallest[:TABLE_BYTES] <= prefix <= info.largest[:TABLE_BYTES]
        ]
        last = None
        merged = (
            sources[0]
            if len(sources) == 1
            else heapq.merge(*sources, key=lambda entry: (entry.stem, -entry.epoch))
        )
        for entry in merged:
            if entry.stem == last:
                continue
            last = entry.stem
            alive = not table.watermark or key_of(table, entry.stem) >= table.watermark
            if entry.value is not None and alive:
                yield entry

    def _entries(self, info: SstInfo, prefix: bytes) -> Iterator[blocks.Entry]:
        """The entries of one SST whose stem starts so; reads the blocks that may have some."""
        if not info.smallest[:TABLE_BYTES] <= prefix <= info.largest[:TABLE_BYTES]:
            return
        what = where(self._folder, info.file)
        index = self._index(info)
        for i, block in enumerate(index):
            if i + 1 < len(index) and index[i + 1].stem < prefix:
                continue
            if block.stem[:TABLE_BYTES] > prefix:
                return
            name = f"{what}, block at byte {block.offset}"
            content = blocks.unframe(name, self._read(info, block.offset, block.length))
            for entry in blocks.entries(name, content):
                shown = info.share is None or info.share.has(entry.stem)
                if shown and entry.stem.startswith(prefix):
                    yield entry

    def _index(self, info: SstInfo) -> list[blocks.IndexEntry]:
        """The data blocks of an SST."""
        what = where(self._folder, info.file)
        data = self._read(info, info.tail_offset, info.length - info.tail_offset)
        places = blocks.footer(what, data[-blocks.FOOTER_BYTES :])
        if places.index_offset != info.tail_offset or places.section_length != info.length:
            raise Corruption(f"{what}: its record and its footer contradict each other")
        return blocks.index(what, blocks.unframe(f"{what}, index", data[: places.index_length]))

    def _read(self, info: SstInfo, offset: int, length: int) -> bytes:
        return self._folder.read(info.file, info.offset + offset, length)

    def properties(self, info: SstInfo) -> dict[str, bytes]:
        """What an SST of this version says of itself."""
        what = where(self._folder, info.file)
        data = self._read(info, info.tail_offset, info.length - info.tail_offset)
        places = blocks.footer(what, data[-blocks.FOOTER_BYTES :])
        start = places.properties_offset - info.tail_offset
        frame = data[start : start + places.properties_length]
        return blocks.properties(what, blocks.unframe(f"{what}, properties", frame))


class _Blocks:
    """The entries of one table in one SST, read block by block and given in parts.

    Args:
        folder: of the store.
        info: the SST.
        index: its blocks.
        prefix: of the table's stems.
    """

    def __init__(
        self, folder: Folder, info: SstInfo, index: list[blocks.IndexEntry], prefix: bytes
    ) -> None:
        self._folder, self._info, self._prefix = folder, info, prefix
        ends = [block.stem for block in index[1:]]
        self.index = [
            block
            for i, block in enumerate(index)
            if block.stem[:TABLE_BYTES] <= prefix and (i == len(ends) or ends[i] >= prefix)
        ]
        self._next = 0
        self._left: Entries | None = None

    def before(self, end: bytes | None) -> "Entries":
        """Those that were not given yet and are below a stem; None: all."""
        from groundswell.format.bulk import Entries

        wanted = self._next
        while wanted < len(self.index) and (end is None or self.index[wanted].stem < end):
            wanted += 1
        read = self._read(self.index[self._next : wanted])
        self._next = wanted
        there = Entries.together([part for part in (self._left, read) if part is not None])
        cut = len(there)
        if end is not None:
            cut = bisect_left(range(len(there)), end, key=lambda i: there.stems[i].as_py())
        self._left = there.slice(cut).compact() if cut < len(there) else None
        return there.slice(0, cut)

    def _read(self, some: list[blocks.IndexEntry]) -> "Entries":
        from groundswell.format import bulk

        if not some:
            return bulk.Entries.of([], [])
        what = where(self._folder, self._info.file)
        start = some[0].offset
        length = some[-1].offset + some[-1].length - start
        data = self._folder.read(self._info.file, self._info.offset + start, length)
        names = [f"{what}, block at byte {block.offset}" for block in some]
        contents = [
            blocks.unframe(name, data[block.offset - start : block.offset - start + block.length])
            for name, block in zip(names, some, strict=True)
        ]
        found = bulk.entries(names, contents)
        share = self._info.share
        edges = found.stems[0].as_py(), found.stems[-1].as_py()
        if share is None and all(stem.startswith(self._prefix) for stem in edges):
            return found
        return found.at(
            [
                i
                for i, stem in enumerate(found.stems.to_pylist())
                if stem.startswith(self._prefix) and (share is None or share.has(stem))
            ]
        )


def _bounds(files: list[_Blocks]) -> Iterator[bytes | None]:
    """Stems that part what files have into groups of about ``GROUP_BYTES``; then None."""
    starts = sorted((block.stem, block.length) for file in files for block in file.index)
    read, last = 0, b""
    for stem, length in starts:
        if read >= GROUP_BYTES and stem > last:
            yield stem
            read, last = 0, stem
        read += length
    yield None


def key_of(table: Table, stem: bytes) -> bytes:
    """The user key of a stem."""
    return stem[TABLE_BYTES:-HASH_BYTES] if table.ordered else stem[TABLE_BYTES + HASH_BYTES :]


def _row(table: Table, stem: bytes, value: bytes, epoch: int) -> Row:
    head = TABLE_BYTES + HASH_BYTES
    hashed = stem[-HASH_BYTES:] if table.ordered else stem[TABLE_BYTES:head]
    return Row(key_of(table, stem), value, int.from_bytes(hashed, "big", signed=True), epoch)
