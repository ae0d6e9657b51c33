"""Packs of a pipeline's epochs: commits of many states in one object, with an index at its end.

They stand in the folder ``_packs`` beside the states. The id of a commit in a pack is the pack's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from groundswell.errors import FormatTooNew, VersionUnavailable
from groundswell.format.encoding import ByteReader, expect_checksum
from groundswell.format.folder import Folder

ID = re.compile(r"00[0-9a-f]{18}")
NAME = re.compile(rf"(\d{{20}})-({ID.pattern})\.pack")
FORMAT = 1
MAGIC = 0x4753575041434B53
FOOTER_BYTES = 24
CHECKED_BYTES = 12
TAIL_BYTES = 32 << 10
REMEMBERED = 256
"""Packs of which it is remembered what is in them."""
EPOCH = slice(3, 12)
"""The digits of an id that are its epoch."""


@dataclass(frozen=True)
class PackedCommit:
    """Where a commit is in its pack.

    Attributes:
        version: that it made of its store.
        packs: that this version needs.
    """

    version: int
    offset: int
    length: int
    packs: tuple[str, ...]


def is_packed(commit_id: str | None) -> bool:
    """Whether a commit of this id is in a pack of an epoch."""
    return bool(commit_id and ID.fullmatch(commit_id))


def pack_of(commit_id: str) -> str:
    """The name of the pack that has the commits of this id."""
    return f"{int(commit_id[EPOCH], 16):020d}-{commit_id}.pack"


class EpochPacks:
    """The packs of one pipeline; what is in one is read once.

    Args:
        folder: that they stand in.
    """

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self._known: dict[str, dict[str, PackedCommit]] = {}

    def names(self) -> list[str]:
        """Names of all packs, ascending by epoch; of some no epoch may know."""
        return sorted(name for name in self.folder.names() if NAME.fullmatch(name))

    def commits(self, name: str) -> dict[str, PackedCommit]:
        """What is in a pack, by path of the store (``<state>/<partition>``).

        Raises:
            VersionUnavailable: there is no such pack.
            Corruption: it is torn, foreign or damaged.
            FormatTooNew: a newer release wrote it.
        """
        found = self._known.get(name)
        if found is None:
            found = self._read(name)
            while len(self._known) >= REMEMBERED:
                self._known.pop(next(iter(self._known)))
            self._known[name] = found
        return found

    def commit(self, store: str, version: int, commit_id: str) -> PackedCommit:
        """One commit of a store; `VersionUnavailable` if its pack has none."""
        name = pack_of(commit_id)
        found = self.commits(name).get(store)
        if found is None or found.version != version:
            raise VersionUnavailable(
                f"{self.folder.location}/{name} has no version {version} of {store}"
            )
        return found

    def of_store(self, store: str) -> dict[str, PackedCommit]:
        """All commits of a store, by the name that each would have as an object of its own."""
        found: dict[str, PackedCommit] = {}
        for name in self.names():
            try:
                commit = self.commits(name).get(store)
            except VersionUnavailable:  # retired since the listing
                continue
            if commit is not None:
                found[f"{commit.version:020d}-{name[21:41]}.commit"] = commit
        return found

    def _read(self, name: str) -> dict[str, PackedCommit]:
        what = f"{self.folder.location}/{name}"
        size = self.folder.length(name)
        tail = self.folder.read(name, size - min(size, TAIL_BYTES), min(size, TAIL_BYTES))
        length, checksum = _footer(what, tail, size)
        if length + FOOTER_BYTES > len(tail):
            tail = self.folder.read(name, size - FOOTER_BYTES - length, FOOTER_BYTES + length)
        content = tail[len(tail) - FOOTER_BYTES - length : len(tail) - FOOTER_BYTES]
        expect_checksum(f"{what}, index", content, checksum)
        return decode(f"{what}, index", name, content)


def _footer(what: str, tail: bytes, size: int) -> tuple[int, int]:
    """Length and checksum of the index."""
    footer = ByteReader(f"{what}, footer", tail[-FOOTER_BYTES:])
    length, version, checksum, own = (footer.unsigned(4) for _ in range(4))
    if footer.unsigned(8) != MAGIC:
        raise footer.corrupt("it does not end with a pack's magic: torn or foreign")
    expect_checksum(footer.what, footer.data[:CHECKED_BYTES], own)
    if version != FORMAT:
        raise FormatTooNew(f"{what} has format {version}, this release reads up to {FORMAT}")
    if length + FOOTER_BYTES > size:
        raise footer.corrupt(f"an index of {length} bytes does not fit")
    return length, checksum


def decode(what: str, name: str, content: bytes) -> dict[str, PackedCommit]:
    """Reads the index of the pack of that name."""
    reader = ByteReader(what, content)
    packs = [name] + [reader.string() for _ in range(reader.count(reader.remaining()))]
    found: dict[str, PackedCommit] = {}
    for _ in range(reader.count(reader.remaining())):
        store, version = reader.string(), reader.varint()
        offset, length = reader.varint(), reader.varint()
        needed = []
        for _ in range(reader.count(len(packs))):
            needed.append(packs[reader.count(len(packs) - 1)])
            reader.varint()  # how many bytes the version has in it
        found[store] = PackedCommit(version, offset, length, tuple(needed))
    reader.expect_end()
    return found
