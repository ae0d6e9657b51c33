"""Prints what a checkpoint's state consists of, from its files alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress

from groundswell.errors import GroundswellError, InvalidArgument, VersionUnavailable
from groundswell.format import Folder, States, Store, open_folder
from groundswell.format.packs import open_store
from groundswell.runtime.gc.kinds import OTHER, usage
from groundswell.runtime.record.checkpoints import check_newest
from groundswell.runtime.record.epochs import EpochLog, EpochManifest
from groundswell.runtime.record.location import DEFINITION, EPOCHS, owned_names, states_in
from groundswell.state import summary
from groundswell.state.checkpoint import Checkpoint, Committed, Operator, place
from groundswell.state.documents import Documents
from groundswell.state.summary import Level, StoreSummary

PIPELINE = "groundswell"
BAR = 40
MOST_KEYS = 5


def run(location: str, store: str | None, files: bool = False) -> int:
    """Prints a checkpoint, or one store of it.

    Args:
        location: checkpoint of a query or of a pipeline, or a store's own folder.
        store: below the checkpoint, ``<operator>/<partition>[/<store>]`` or
            ``<state>/<partition>``; with levels, files and keys of that store alone.
        files: what each kind of file takes instead; of a pipeline.

    Returns:
        0; 1 if there is nothing to inspect, which is said on stderr.
    """
    try:
        root = open_folder(location)
        for line in of_files(root) if files else lines(root, store):
            print(line)
    except GroundswellError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def lines(root: Folder, store: str | None) -> Iterator[str]:
    """The report."""
    if _is_pipeline(root):
        documents = Documents(root)
        check_newest(documents, documents.child(PIPELINE))
    if store is not None and _is_pipeline(root):
        yield from _of_state(root.child(PIPELINE), store)
    elif store is not None:
        yield from of_one_store(*Checkpoint(root).at(store))
    elif Store(_with_packs(root)).versions():
        yield from of_one_store(_with_packs(root))
    elif _is_pipeline(root):
        yield from of_pipeline(root.child(PIPELINE))
    elif owned_names(Documents(root), DEFINITION):
        above = root.location.rstrip("/").rpartition("/")[0]
        raise InvalidArgument(f"{root.location} is in the location of a pipeline: inspect {above}")
    else:
        yield from of_query(Checkpoint(root))


def of_files(root: Folder) -> Iterator[str]:
    """What each kind of file in the location of a pipeline takes, and who removes it when."""
    if not _is_pipeline(root):
        raise InvalidArgument(f"{root.location} is not the location of a pipeline")
    found = usage(_below(root))
    total = sum(each.bytes for each in found)
    yield f"{sum(each.files for each in found):,} files, {size(total)}"
    width = max(len(each.kind.name) for each in found)
    yield f"{'kind'.ljust(width)}  {'files':>8}  {'size':>10}  goes"
    for each in found:
        kind = each.kind
        yield f"{kind.name.ljust(width)}  {each.files:>8,}  {size(each.bytes):>10}  {kind.when}"
        if kind is OTHER:
            yield f"{' ' * width}  such as {each.example}"


def _below(folder: Folder, path: str = "") -> Iterator[tuple[str, int]]:
    for name in folder.names():
        with suppress(VersionUnavailable):  # gone since it was listed
            yield f"{path}{name}", folder.length(name)
    for name in folder.folders():
        yield from _below(folder.child(name), f"{path}{name}/")


def _is_pipeline(root: Folder) -> bool:
    """Other queries have claims in the same folder."""
    return bool(owned_names(Documents(root.child(PIPELINE)), DEFINITION))


def _of_state(home: Folder, path: str) -> Iterator[str]:
    """One partition of a pipeline's state: at its newest epoch, if that has the state."""
    state, _, partition = path.strip("/").rpartition("/")
    newest = EpochLog(Documents(home.child(EPOCHS))).newest()
    folder = States(states_in(home, newest.generation), home).store(state, partition)
    commits = newest.commits.get(state, ())
    at = int(partition) if partition.isdecimal() else len(commits)
    commit = commits[at] if at < len(commits) else None
    if not Store(folder).versions():
        raise InvalidArgument(_why_no_store(newest, path, state, at))
    if commit is None or not commit.version:
        yield from of_one_store(folder)
    else:
        yield from of_one_store(folder, commit.version, commit.id)


def _why_no_store(newest: EpochManifest, path: str, state: str, partition: int) -> str:
    commits, known = newest.commits.get(state), ", ".join(newest.commits) or "none"
    if commits is None:
        return (
            f"{path!r} is not <state>/<partition> of epoch {newest.epoch}, which has the states "
            f"{known}"
        )
    if partition >= len(commits):
        return f"state {state} has partitions 0 to {len(commits) - 1}: {path!r} is none of them"
    return f"partition {partition} of state {state} has no rows at epoch {newest.epoch}"


def _with_packs(root: Folder) -> Folder:
    """A store's own folder; commits of it may be in packs beside its operator."""
    return root if "state" in root.folders() else open_store(root.location)


def of_query(checkpoint: Checkpoint) -> Iterator[str]:
    """A Spark query's state, a line for each store and partition."""
    at = checkpoint.committed()
    yield f"query at {checkpoint.root.location}: batch {at.batch} is the newest that is committed"
    for operator in checkpoint.operators():
        yield ""
        yield f"operator {operator.id} ({operator.name}), {operator.partitions} partitions"
        for store in operator.stores:
            found = [_summary(operator, p, store.name, at) for p in range(operator.partitions)]
            yield from table(
                f"store {store.name}", [(str(p), s) for p, s in enumerate(found) if s is not None]
            )
            missing = [p for p, s in enumerate(found) if s is None]
            if missing:
                yield f"    no version {at.batch + 1} in partitions {missing}"


def _summary(operator: Operator, partition: int, store: str, at: Committed) -> StoreSummary | None:
    try:
        return summary.of_store(*place(operator, partition, store, at))
    except VersionUnavailable:
        return None


def of_pipeline(home: Folder) -> Iterator[str]:
    """A pipeline's states at its newest epoch."""
    log = EpochLog(Documents(home.child(EPOCHS)))
    manifest = log.newest()
    epochs = log.epochs()
    yield (
        f"pipeline at {home.location}: epoch {manifest.epoch} is the newest; "
        f"{len(epochs)} can be read, from {epochs[0]} on"
    )
    states = States(states_in(home, manifest.generation), home)
    for state, commits in manifest.commits.items():
        found = []
        for p, commit in enumerate(commits):
            if commit.version:
                store = states.store(state, p)
                found.append((str(p), summary.of_store(store, commit.version, commit.id)))
        yield ""
        yield from table(f"state {state}, {len(commits)} partitions", found)


def table(title: str, stores: list[tuple[str, StoreSummary]]) -> Iterator[str]:
    """A line for each partition, and one for their sum."""
    yield f"  {title}"
    yield "    partition  version       rows  sub-levels  objects       live       kept  levels"
    for name, s in [*stores, *([("all", _sum(stores))] if len(stores) > 1 else [])]:
        drawn = " ".join(f"{level.name}:{size(level.bytes)}" for level in s.levels[:6])
        more = " ..." if len(s.levels) > 6 else ""
        version = str(s.version) if name != "all" else ""
        levels = str(s.sub_levels) if name != "all" else ""
        yield (
            f"    {name:>9}  {version:>7}  {s.rows:>9,}  {levels:>10}  {s.objects:>7}  "
            f"{size(s.live_bytes):>9}  {size(s.kept_bytes):>9}  {drawn}{more}"
        )


def _sum(stores: list[tuple[str, StoreSummary]]) -> StoreSummary:
    every = [s for _, s in stores]
    return StoreSummary(
        location="",
        version=0,
        id="",
        versions=(),
        tables=(("", sum(s.rows for s in every)),),
        levels=(),
        live_bytes=sum(s.live_bytes for s in every),
        kept_bytes=sum(s.kept_bytes for s in every),
        objects=sum(s.objects for s in every),
    )


def of_one_store(
    folder: Folder, version: int | None = None, commit_id: str | None = None
) -> Iterator[str]:
    """One store: versions, tables, levels drawn, files and who keeps them, hot keys."""
    s = summary.of_store(folder, version, commit_id)
    yield f"store at {s.location}: version {s.version}, id {s.id}"
    yield (
        f"  {len(s.versions)} versions can be opened, {s.versions[0]} to {s.versions[-1]}; "
        f"{size(s.live_bytes)} live, {size(s.kept_bytes)} kept for older ones, {s.objects} objects"
    )
    for name, live in s.tables:
        yield f"  table {name}: {live:,} live keys"
    yield ""
    yield from drawn(s.levels)
    yield ""
    yield "  kept alive by versions"
    for file, (first, last) in sorted(summary.kept_by(folder).items()):
        yield f"    {file}  {first} to {last}"
    for name, live in s.tables:
        hot = summary.hot_keys(folder, name, MOST_KEYS, s.version, s.id) if live else []
        if hot and hot[0][1] > 1:
            yield ""
            yield f"  most rows under one partition hash in table {name} (of {live:,})"
            yield from (f"    {hashed:>11}  {rows:,}" for hashed, rows in hot if rows > 1)


def drawn(levels: tuple[Level, ...]) -> Iterator[str]:
    """The sub-levels, newest on top, each as wide as it is large."""
    largest = max((level.bytes for level in levels), default=1)
    for level in levels:
        bar = "█" * max(1, round(BAR * level.bytes / largest))
        first, last = level.epochs
        dead = f", {level.tombstones:,} deletes" if level.tombstones else ""
        yield (
            f"  {level.name:>5} {bar:<{BAR}} {size(level.bytes):>9}  {level.files} files, "
            f"{level.entries:,} entries{dead}, epochs {first} to {last}"
        )


def size(count: int) -> str:
    """``1536`` -> ``1.5 KiB``."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    raise AssertionError
