"""Commits that share objects: a store's folder as if each of its commits were an object of its own.

Views share packs that tell themselves what is in them, see :mod:`groundswell.format.epoch_packs`.
Commits that were made asynchronously are regions of *packs*, in the folder ``_packs`` beside the
operators' folders; an index for each version says where. A region is, byte for byte, what the
commit object would be.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from groundswell.errors import Corruption, FormatTooNew
from groundswell.format.encoding import ByteReader, expect_checksum
from groundswell.format.epoch_packs import EpochPacks, PackedCommit, is_packed, pack_of
from groundswell.format.folder import Folder, open_folder

FOLDER = "_packs"
GENERATION = "generation-"
"""Begins the name of the folder of states after a rescale."""
FORMAT = 2
MAGIC = 0x475357494E444558
FOOTER_BYTES = 16
COMMIT = re.compile(r"(\d{20})-([0-9a-f]{20})\.commit")
INDEX = re.compile(r"(\d{20})-([0-9a-f]{20})\.index")
STORE_DEPTHS = (2, 3)  # operator/partition, and a store's name below if it has one


def is_elsewhere(name: str) -> bool:
    """Whether a manifest means a file of another store."""
    return name.startswith("@")


def path_of(name: str) -> list[str]:
    """The folders that lead to such a file from the pipeline's own, and its name.

    Raises:
        Corruption: it leads out of there.
    """
    path = name[1:].split("/")
    if len(path) < 2 or not {"", ".", ".."}.isdisjoint(path):
        raise Corruption(f"{name!r} is not a name of a file")
    return path


@dataclass(frozen=True)
class Region:
    """Where a commit is; ``pack`` is empty if it is an object of its own."""

    store: str
    id: str
    pack: str
    offset: int
    length: int


def decode(what: str, data: bytes) -> list[Region]:
    """Reads an index: all commits of one version.

    Raises:
        Corruption: it is torn, foreign or damaged.
        FormatTooNew: a newer release wrote it.
    """
    footer = ByteReader(what, data[-FOOTER_BYTES:])
    checksum, version = footer.unsigned(4), footer.unsigned(4)
    if footer.unsigned(8) != MAGIC:
        raise footer.corrupt("it does not end with an index's magic: torn or foreign")
    if version > FORMAT:
        raise FormatTooNew(f"{what} has format {version}, this release reads up to {FORMAT}")
    content = data[:-FOOTER_BYTES]
    if version < 1:
        raise footer.corrupt(f"there is no format {version}")
    expect_checksum(what, content, checksum ^ (version if version > 1 else 0))
    reader = ByteReader(what, content)
    reader.varint()  # the version, which its name says, too
    reader.string()  # the owner
    packs = [""] + [reader.string() for _ in range(reader.count(reader.remaining()))]
    regions = []
    for _ in range(reader.count(reader.remaining())):
        store, commit = reader.string(), reader.string()
        pack = packs[reader.count(len(packs) - 1)]
        regions.append(Region(store, commit, pack, reader.varint(), reader.varint()))
        for _ in range(reader.count(len(packs) - 1)):  # what the version has in each pack
            reader.count(len(packs) - 1)
            reader.varint()
    reader.expect_end()
    return regions


def newest_stores(packs: Folder) -> set[str]:
    """Paths of the stores that have a commit in the newest index; none if there is no index."""
    names = [name for name in packs.names() if INDEX.fullmatch(name)]
    if not names:
        return set()
    newest = max(names)
    return {region.store for region in decode(f"{packs.location}/{newest}", packs.whole(newest))}


class PackedFolder:
    """A store's folder with its commits in packs; what they are called there is not shown.

    Args:
        own: the store's folder.
        packs: the folder of packs.
        store: path of the store from the folder that both are in, as ``0/12``.
        epochs: the packs of a pipeline's epochs, if others read them, too.
        home: the folder from which files of other stores are named.
    """

    def __init__(
        self,
        own: Folder,
        packs: Folder,
        store: str,
        epochs: EpochPacks | None = None,
        home: Folder | None = None,
    ) -> None:
        self._home = home
        self._epochs = epochs or EpochPacks(packs)
        self._own = own
        self._packs = packs
        self._store = store
        self._found: dict[str, Region] | None = None
        self.location = own.location

    def _region(self, name: str) -> Region | None:
        """Where a commit is by the name that it would have as an object of its own."""
        parts = COMMIT.fullmatch(name)
        if parts and is_packed(parts[2]):
            return self._of(parts[2], self._epochs.commit(self._store, int(parts[1]), parts[2]))
        return self._regions().get(name)

    def _of(self, commit_id: str, found: PackedCommit) -> Region:
        pack = pack_of(commit_id)
        return Region(self._store, commit_id, pack, found.offset, found.length)

    def _regions(self) -> dict[str, Region]:
        """Those that an index tells, by the name that the commit would have."""
        if self._found is None:
            self._found = {}
            for name in sorted(self._packs.names()):
                parts = INDEX.fullmatch(name)
                if not parts:
                    continue
                what = f"{self._packs.location}/{name}"
                for region in decode(what, self._packs.whole(name)):
                    if region.store == self._store and region.pack:
                        self._found[f"{parts[1]}-{region.id}.commit"] = region
        return self._found

    def names(self) -> list[str]:
        """Names of all objects in it, and of commits in packs."""
        packed = self._epochs.of_store(self._store)
        return sorted({*self._own.names(), *self._regions(), *packed})

    def where(self, name: str) -> str:
        """Where an object is, or the pack that a commit is in."""
        if other := self._elsewhere(name):
            return f"{other[0].location}/{other[1]}"
        parts = COMMIT.fullmatch(name)
        if parts and is_packed(parts[2]):
            name = pack_of(parts[2])
        folder = self._packs if name.endswith(".pack") else self._own
        return f"{folder.location}/{name}"

    def _elsewhere(self, name: str) -> tuple[Folder, str] | None:
        """The folder of a file that is another store's, and its name there."""
        if not is_elsewhere(name) or self._home is None:
            return None
        *path, last = path_of(name)
        folder = self._home
        for part in path:
            folder = folder.child(part)
        return folder, last

    def length(self, name: str) -> int:
        """An object's length in bytes."""
        if other := self._elsewhere(name):
            return other[0].length(other[1])
        if name.endswith(".pack"):
            return self._packs.length(name)
        region = self._region(name)
        return region.length if region else self._own.length(name)

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Exactly ``length`` bytes from ``offset`` on."""
        if other := self._elsewhere(name):
            return other[0].read(other[1], offset, length)
        if name.endswith(".pack"):
            return self._packs.read(name, offset, length)
        region = self._region(name)
        if region:
            return self._packs.read(region.pack, region.offset + offset, length)
        return self._own.read(name, offset, length)

    def whole(self, name: str) -> bytes:
        """All bytes of an object."""
        return self.read(name, 0, self.length(name))

    def folders(self) -> list[str]:
        """Names of the folders in it."""
        return self._own.folders()

    def child(self, name: str) -> Folder:
        """The folder of that name in it."""
        return self._own.child(name)


class States:
    """The stores of a pipeline's states, with what packs have of them.

    Args:
        folder: that the states' folders are in.
        home: the pipeline's folder, if states were rescaled: files of theirs may be elsewhere.
    """

    def __init__(self, folder: Folder, home: Folder | None = None) -> None:
        self._folder = folder
        self._home = home
        self.packs = EpochPacks(folder.child(FOLDER))

    def store(self, state: str, partition: int | str) -> Folder:
        """The folder of one partition of a state."""
        own = self._folder.child(state).child(str(partition))
        return PackedFolder(own, self.packs.folder, f"{state}/{partition}", self.packs, self._home)


def open_store(location: str | Path) -> Folder:
    """A store's folder at a path or URI, with the packs that stand beside its operator, if any."""
    own = open_folder(location)
    text = str(location).rstrip("/")
    if isinstance(location, Path):
        text = str(location.absolute())
    for depth in STORE_DEPTHS:
        root, *path = text.rsplit("/", depth)
        if len(path) == depth and root and not root.endswith("/"):
            around = open_folder(root)
            above = root.rsplit("/", 1)[0]
            last = above.rsplit("/", 1)[-1]
            rescaled = last.startswith(GENERATION)
            if rescaled or FOLDER in around.folders():
                home = open_folder(above.rsplit("/", 1)[0]) if rescaled else None
                return PackedFolder(own, around.child(FOLDER), "/".join(path), home=home)
    return own
