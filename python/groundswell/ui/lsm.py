"""The levels of one state's partition, and what the last compaction did to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from groundswell.errors import GroundswellError
from groundswell.format import Folder, Manifest, SstInfo, Store
from groundswell.state.summary import Level, levels

LOOK_BACK = 16
"""Versions that are compared to find the last compaction."""


@dataclass(frozen=True)
class Compaction:
    """What a version took out and brought in, of files."""

    version: int
    files_in: int
    bytes_in: int
    files_out: int
    bytes_out: int
    levels: tuple[str, ...]


@dataclass(frozen=True)
class StorePicture:
    """One partition of a state.

    Attributes:
        runs: by level, its files: length and number of entries of each.
        compaction: the last one; None: there was none in the versions that were looked at.
    """

    state: str
    partition: int
    version: int
    levels: tuple[Level, ...]
    runs: Mapping[str, tuple[tuple[int, int], ...]]
    compaction: Compaction | None
    looked_at: int


def store_picture(
    folder: Folder, state: str, partition: int, version: int, commit_id: str
) -> StorePicture:
    """Reads the manifests of a partition, no rows.

    Raises:
        GroundswellError: the version is not there any more, or damaged.
    """
    store = Store(folder)
    newest = store.version(version, commit_id).manifest
    pictures = [newest]
    known = store.versions()
    while len(pictures) <= LOOK_BACK and pictures[-1].base_id:
        base = pictures[-1].base_id
        before = next((v for v, i in known.items() if i == base), None)
        if before is None:
            break
        try:
            pictures.append(store.version(before, base).manifest)
        except GroundswellError:
            break
    return StorePicture(
        state,
        partition,
        version,
        levels(newest),
        {name: tuple((f.length, f.entries) for f in run) for name, run in named_runs(newest)},
        last_compaction(pictures),
        len(pictures),
    )


def named_runs(manifest: Manifest) -> list[tuple[str, tuple[SstInfo, ...]]]:
    """The runs by the names that :func:`~groundswell.state.summary.levels` gives them."""
    upper = [(f"L0.{i}", run) for i, run in enumerate(manifest.sub_levels) if run]
    return upper + [(f"L{i}", run) for i, run in enumerate(manifest.levels, 1) if run]


def last_compaction(pictures: Sequence[Manifest]) -> Compaction | None:
    """The newest version that lacks a file of the one below it. Newest first."""
    for newer, older in pairwise(pictures):
        now, was = _files(newer), _files(older)
        gone = was.keys() - now.keys()
        if gone:
            # A commit's own rows are of its epoch; what merges bring has older ones, too.
            made = {at for at in now.keys() - was.keys() if now[at].min_epoch < newer.version}
            named = {_place(f): name for name, run in named_runs(newer) for f in run}
            return Compaction(
                newer.version,
                len(gone),
                sum(was[at].length for at in gone),
                len(made),
                sum(now[at].length for at in made),
                tuple(sorted({named[at] for at in made})),
            )
    return None


def _files(manifest: Manifest) -> dict[tuple[str, int], SstInfo]:
    return {_place(info): info for run in manifest.runs for info in run}


def _place(info: SstInfo) -> tuple[str, int]:
    return info.file, info.offset
