"""What a store consists of: tables, levels, sizes, and which versions keep which files alive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from groundswell.format import Folder, Manifest, SstInfo, Store
from groundswell.format.epoch_packs import is_packed
from groundswell.format.packs import COMMIT


@dataclass(frozen=True)
class Level:
    """A sub-level of level 0, or one of the levels below.

    Attributes:
        name: ``L0.0`` is the newest sub-level, then ``L0.1``, ...; ``L1`` and so on.
        epochs: oldest and newest in it.
    """

    name: str
    files: int
    bytes: int
    entries: int
    tombstones: int
    epochs: tuple[int, int]


@dataclass(frozen=True)
class StoreSummary:
    """One store at one version.

    Attributes:
        location: its folder.
        version: the version that is described; ``id`` tells its attempt.
        versions: all that can be opened.
        tables: name, live keys (0 if nobody counts them) of each.
        levels: those that have files, newest first.
        live_bytes: of the files that this version refers to; of packs its own part.
        kept_bytes: of files that only older versions refer to, or none (yet).
        objects: files of the engine in the folder, and commits in packs.
    """

    location: str
    version: int
    id: str
    versions: tuple[int, ...]
    tables: tuple[tuple[str, int], ...]
    levels: tuple[Level, ...]
    live_bytes: int
    kept_bytes: int
    objects: int

    @property
    def rows(self) -> int:
        """Live keys of all counted tables."""
        return sum(live for _, live in self.tables)

    @property
    def sub_levels(self) -> int:
        """Sub-levels and levels that a read may have to look at."""
        return len(self.levels)


def of_store(
    folder: Folder, version: int | None = None, commit_id: str | None = None
) -> StoreSummary:
    """Describes a store; reads manifests and lengths, no rows."""
    store = Store(folder)
    opened = store.version(version, commit_id)
    found = opened.manifest
    names = [name for name in folder.names() if name.endswith((".commit", ".sst"))]
    sizes = {name: folder.length(name) for name in names}
    live = {info.file for run in found.runs for info in run}
    live.add(f"{found.version:020d}-{found.id}.commit")
    packed = sum(i.length for run in found.runs for i in run if i.file.endswith(".pack"))
    of_live = packed + sum(
        size for name, size in sizes.items() if name in live and not in_pack(name)
    )
    return StoreSummary(
        location=folder.location,
        version=found.version,
        id=found.id,
        versions=tuple(store.versions()),
        tables=tuple((t.name, t.live_keys) for t in found.tables),
        levels=levels(found),
        live_bytes=of_live,
        kept_bytes=max(sum(sizes.values()) - of_live, 0),
        objects=len(names),
    )


def in_pack(name: str) -> bool:
    """Whether that is the name of a commit which is no object of its own."""
    parts = COMMIT.fullmatch(name)
    return parts is not None and is_packed(parts[2])


def levels(manifest: Manifest) -> tuple[Level, ...]:
    """The levels that have files, newest first."""
    upper = [_level(f"L0.{i}", run) for i, run in enumerate(manifest.sub_levels) if run]
    lower = [_level(f"L{i}", run) for i, run in enumerate(manifest.levels, 1) if run]
    return (*upper, *lower)


def _level(name: str, run: Iterable[SstInfo]) -> Level:
    files = list(run)
    return Level(
        name,
        len(files),
        sum(f.length for f in files),
        sum(f.entries for f in files),
        sum(f.tombstones for f in files),
        (min(f.min_epoch for f in files), max(f.max_epoch for f in files)),
    )


def kept_by(folder: Folder) -> dict[str, tuple[int, int]]:
    """For each file that some version refers to, the oldest and newest such version."""
    store = Store(folder)
    spans: dict[str, tuple[int, int]] = {}
    for number, commit_id in store.versions().items():
        manifest = store.version(number, commit_id).manifest
        for file in {info.file for run in manifest.runs for info in run}:
            first, _ = spans.get(file, (number, number))
            spans[file] = (first, number)
    return spans


def hot_keys(
    folder: Folder, table: str, most: int, version: int | None = None, commit_id: str | None = None
) -> list[tuple[int, int]]:
    """Partition hashes with the most rows in a table: (hash, rows), most first. Reads all rows."""
    found = Store(folder).version(version, commit_id)
    counts = Counter(row.hash for row in found.scan(table))
    return counts.most_common(most)
