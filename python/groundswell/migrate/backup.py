"""Copies of a pipeline at an epoch, while it runs: backups and clones.

A lease keeps the epoch, with operators' own state. What is copied: the files of the states that the
epoch names, Spark's logs cut at the epoch, the epoch, and what the location remembers of its views.
The target's definition is written first as a mark that nobody opens, and last as what it is.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

from groundswell.catalog.suspended import commits_suspended
from groundswell.contract.commits import CommitRef
from groundswell.errors import (
    EpochUnavailable,
    IllegalState,
    InvalidArgument,
    OffsetsRewound,
    VersionUnavailable,
)
from groundswell.format import Folder, States, open_folder
from groundswell.format.envelope import seal
from groundswell.format.epoch_packs import is_packed, pack_of
from groundswell.format.manifest import load as load_manifest
from groundswell.format.packs import FOLDER as PACKS
from groundswell.format.packs import is_elsewhere, path_of
from groundswell.format.target import LINKED, Target, open_target
from groundswell.migrate.file_logs import logged, the_cut
from groundswell.runtime.ownership.leases import WHOLE, lease_if_allowed, leased
from groundswell.runtime.record import checkpoints, definition
from groundswell.runtime.record.definition import Definition
from groundswell.runtime.record.epochs import EpochLog, EpochManifest, offsets_entry
from groundswell.runtime.record.file_logs import log_offsets
from groundswell.runtime.record.location import (
    DEFINITION,
    EPOCHS,
    TABLES,
    no_pipeline,
    owned_name,
    owned_names,
    state_path,
    states_in,
)
from groundswell.runtime.record.relocation import moved
from groundswell.runtime.record.sinks import Known, known_sinks
from groundswell.runtime.record.table import DOCUMENT, ROWS
from groundswell.runtime.record.told import commits_told
from groundswell.runtime.record.transactions import TRANSACTIONS, id_of
from groundswell.state.documents import WritableDocuments

HOME = "groundswell"
GRAPH, SINKS = "graph", "sinks"
FOLDER_MARK = "_folder"
"""Spark reads no file whose name begins so."""
SQL = "sql"
SCHEMAS = "schemas"

Progress = Callable[[int, int, int], None]
"""Told the files of states that are copied, how many there are, and the bytes so far."""


@dataclass(frozen=True)
class Copied:
    """What was copied.

    Attributes:
        location: the target.
        epoch: the epoch whose state it has; the pipeline goes on with the next.
        files: how many files of states.
        linked: how many of them by reference: hard links, or copies within S3.
        bytes: their sizes.
    """

    location: str
    epoch: int
    files: int
    linked: int
    bytes: int


@dataclass(frozen=True)
class _Source:
    root: Folder
    documents: WritableDocuments
    manifest: EpochManifest
    owner: Definition

    @property
    def home(self) -> Folder:
        return self.root.child(HOME)


def backup(
    location: str | Path,
    target: str | Path,
    epoch: int | None = None,
    progress: Progress | None = None,
) -> Copied:
    """Copies a pipeline as it was after an epoch; it may run meanwhile.

    The target is a checkpointLocation: start the pipeline there, or copy it back in the same way.
    The copy has the query's id and its sinks, so it takes the place of the pipeline. Writes to
    tables that no barrier has taken are copied with the newest epoch alone.

    Args:
        location: the pipeline's checkpointLocation: a path or a URI, as for ``view_to_arrow``.
        target: where to copy to; must be empty.
        epoch: which epoch; default: the newest. Operators keep their state only since retention
            last ran, so few older epochs can be copied.
        progress: told the files of states copied so far, how many there are, and bytes so far.

    Returns:
        What was copied.

    Raises:
        InvalidArgument: the target is not empty, or the pipeline had other views at that epoch.
        EpochUnavailable: the epoch is not there, or what a copy of it needs is not.
        ConfigurationError: nothing was ever started at the location.

    Examples:
        >>> votes = p.table("votes", "story bigint")
        >>> run = p.view("counts", votes.df.groupBy("story").count()).start()
        >>> votes.insert([(1,)])
        >>> run.processAllAvailable()
        >>> copy = gs.backup(location, f"{location}-backup")
        >>> run.stop()
        >>> counts = gs.read_view(spark, copy.location, "counts")
        >>> [row["count"] for row in counts.collect()]
        [1]
    """
    return _copy(location, target, epoch, progress, as_clone=False)


def clone(
    location: str | Path,
    target: str | Path,
    epoch: int | None = None,
    progress: Progress | None = None,
) -> Copied:
    """Copies a pipeline as :func:`backup` does, as another one that may run beside it.

    The clone's query has an id of its own, and its sinks have, too: give them other targets.

    Args:
        location: the pipeline's checkpointLocation.
        target: where to copy to; must be empty.
        epoch: which epoch; default: the newest.
        progress: as of :func:`backup`.

    Returns:
        What was copied.

    Raises:
        InvalidArgument: the target is not empty, or the pipeline had other views at that epoch.
        EpochUnavailable: the epoch is not there, or what a copy of it needs is not.
        ConfigurationError: nothing was ever started at the location.

    Examples:
        >>> votes = p.table("votes", "story bigint")
        >>> _ = p.view("counts", votes.df.groupBy("story").count())
        >>> votes.insert([(1,)])
        >>> p.start(availableNow=True).awaitTermination()
        >>> gs.clone(location, f"{location}-clone").location == f"{location}-clone"
        True
    """
    return _copy(location, target, epoch, progress, as_clone=True)


def _copy(
    location: str | Path,
    target: str | Path,
    epoch: int | None,
    progress: Progress | None,
    as_clone: bool,
) -> Copied:
    _check_empty(str(location), str(target))
    root = open_folder(location)
    documents = WritableDocuments(root, open_target(location))
    home = documents.child(HOME)
    log = EpochLog(home.child(EPOCHS))
    definition_of(home, str(location))
    if epoch is None:
        checkpoints.check_newest(documents, home)
    manifest, lease = leased(
        lambda at: log.newest() if at is None else log.get(at),
        home,
        epoch,
        lambda folder, at: lease_if_allowed(folder, at, kind=WHOLE),
    )
    with lease or nullcontext():
        owner = definition_of(home, str(location))
        _check_views(str(location), manifest, log.newest())
        source = _Source(root, documents, manifest, owner)
        _check_offsets(source)
        into = WritableDocuments(open_folder(target), open_target(target))
        return _Copy(source, into, open_target(target), as_clone, progress).run(str(target))


def definition_of(home: WritableDocuments, location: str) -> Definition:
    """The definition of a pipeline.

    Raises:
        ConfigurationError: nothing was ever started there.
    """
    found = definition.load(home)
    if found is None:
        raise no_pipeline(location)
    return found


def _check_empty(location: str, target: str) -> None:
    if f"{target.rstrip('/')}/".startswith(f"{location.rstrip('/')}/"):
        raise InvalidArgument(f"{target} is inside of {location}: name a folder beside it")
    folder = open_folder(target)
    if found := [*folder.names(), *folder.folders()]:
        raise InvalidArgument(
            f"{target} is not empty: it has {', '.join(found[:3])}. Name a new folder; if a copy "
            "was broken off there, delete it first"
        )


def _check_views(location: str, manifest: EpochManifest, newest: EpochManifest) -> None:
    was, now = manifest, newest
    if was.views != now.views or was.commits.keys() != now.commits.keys():
        differ = sorted(dict(set(was.views.items()) ^ set(now.views.items())))
        raise InvalidArgument(
            f"{location} had other views at epoch {was.epoch} than at epoch {now.epoch} "
            f"({', '.join(differ) or 'other states'}), and only the definition of now is there: "
            f"copy a later epoch, up to {now.epoch}"
        )


def _check_offsets(source: _Source) -> None:
    folder, epoch = source.documents.child("offsets"), source.manifest.epoch
    entry = offsets_entry(folder, epoch)
    if entry is None:
        there = sorted(int(name) for name in folder.names() if name.isdecimal())
        have = f"it has those of {there[0]} to {there[-1]}" if there else "it has none"
        raise EpochUnavailable(
            f"{folder.location} has no offsets of epoch {epoch} any more, so a copy could not go "
            f"on from there: {have} (spark.sql.streaming.minBatchesToRetain)"
        )
    if source.manifest.offsets not in ("", entry.fingerprint):
        raise OffsetsRewound(
            f"{folder.location}/{epoch} is not the entry that epoch {epoch} was computed from: "
            "restore both from one point in time before you copy"
        )


def _uri(location: str) -> str:
    parts = urlsplit(location)
    is_path = not parts.scheme or len(parts.scheme) == 1
    return Path(location).absolute().as_uri() if is_path else location.rstrip("/")


def _quietly(files: int, of: int, size: int) -> None:
    """Tells nobody."""


@dataclass(frozen=True)
class _OfCopy:
    """The owner of a copy until its first start: of the token that published the epoch."""

    token: int

    def check(self) -> None:
        """Nobody else writes to a copy."""


def _names(store: Folder, commit: CommitRef) -> list[str]:
    """The objects that a version needs, packs among them."""
    name = f"{commit.version:020d}-{commit.id}.commit"
    files = {info.file for run in load_manifest(store, name).runs for info in run}
    return sorted(files | {pack_of(commit.id) if commit.id and is_packed(commit.id) else name})


class _Copy:
    def __init__(
        self,
        source: _Source,
        documents: WritableDocuments,
        target: Target,
        as_clone: bool,
        progress: Progress | None,
    ) -> None:
        self._source = source
        self._manifest = source.manifest
        self._documents = documents
        self._home = documents.child(HOME)
        self._target = target
        self._uri = _uri(target.location)
        self._as_clone = as_clone
        self._progress = progress or _quietly

    def run(self, target: str) -> Copied:
        mark = seal(definition.KIND, {definition.COPYING: self._source.root.location})
        token = self._manifest.token
        found = self._found()
        if not self._home.put_new(owned_name(DEFINITION, token), mark):
            raise IllegalState(f"{target} is being written to by another copy: name a new folder")
        files, linked, size = self._states(found)
        self._documents_of_home()
        self._tables()
        self._logs()
        self._pending()
        EpochLog(self._home.child(EPOCHS), _OfCopy(token)).publish(self._manifest)
        owner = self._source.owner
        definition.store(self._home, replace(owner, sinks=()) if self._as_clone else owner, token)
        return Copied(target, self._manifest.epoch, files, linked, size)

    def _found(self) -> list[tuple[tuple[str, ...], str]]:
        try:
            return list(dict.fromkeys(self._files()))
        except VersionUnavailable as error:
            raise EpochUnavailable(
                f"a copy of epoch {self._manifest.epoch} needs a file that is gone ({error}): "
                "operators keep their state only since retention last ran; copy a later epoch"
            ) from error

    def _states(self, found: list[tuple[tuple[str, ...], str]]) -> tuple[int, int, int]:
        linked = size = 0
        for number, (path, name) in enumerate(found, 1):
            source, target = self._source.home, self._target.child(HOME)
            for folder in path:
                source, target = source.child(folder), target.child(folder)
            how = target.take(source, name)
            linked += how == LINKED
            size += source.length(name)
            self._progress(number, len(found), size)
        return len(found), linked, size

    def _files(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Folder and name of each file that the epoch needs; packs come more than once."""
        home, generation = self._source.home, self._manifest.generation
        states, place = States(states_in(home, generation), home), state_path(generation)
        still = commits_suspended(self._source.owner.aside)
        sinks = Known() if self._as_clone else known_sinks(self._source.documents.child(HOME))
        told, now = commits_told(sinks.told), self._manifest.commits
        for state, commits in chain(told.items(), still.items(), now.items()):
            for partition, commit in enumerate(commits):
                if commit.version:
                    for name in _names(states.store(state, partition), commit):
                        if is_elsewhere(name):
                            *path, name = path_of(name)
                            yield tuple(path), name
                            continue
                        own = (PACKS,) if name.endswith(".pack") else (state, str(partition))
                        yield (*place, *own), name

    def _documents_of_home(self) -> None:
        """Under the token of the epoch: the first owner of the copy gets the next."""
        home, token = self._source.documents.child(HOME), self._manifest.token
        for stem in (GRAPH,) if self._as_clone else (GRAPH, SINKS):
            if names := owned_names(home, stem):
                self._put(home, names[-1], self._home, owned_name(stem, token))
        for folder in (SQL, SCHEMAS):
            for name in home.child(folder).names():
                if not name.startswith("."):
                    self._put(home.child(folder), name, self._home.child(folder), name)
        mark = checkpoints.load(home)
        if mark is not None:
            at = checkpoints.Mark(min(mark.epoch, self._manifest.epoch))
            checkpoints.store(self._home, at, token)

    def _tables(self) -> None:
        for name in self._source.home.child(TABLES).folders():
            folder = self._source.documents.child(HOME).child(TABLES).child(name)
            self._put(folder, DOCUMENT, self._home.child(TABLES).child(name), DOCUMENT)
            # Spark wants the folder of a source, though all that it has read is gone.
            self._target.child(HOME).child(TABLES).child(name).child(ROWS).put(FOLDER_MARK, b"")

    def _logs(self) -> None:
        root, epoch = self._source.documents, self._manifest.epoch
        metadata = root.read("metadata")
        if self._as_clone:
            metadata = json.dumps({"id": str(uuid.uuid4())}).encode()
        if metadata is not None:
            self._documents.put("metadata", metadata)
        offsets = log_offsets(root.child("offsets").read(str(epoch)) or b"")
        tables = self._source.home.child(TABLES).folders()
        for name in self._source.root.child("sources").folders():
            source, own = root.child("sources").child(name), self._documents.child("sources")
            for entry, data in the_cut(source, offsets.get(name)):
                is_table = name in tables and name in offsets
                rows = f"/{HOME}/{TABLES}/{name}/{ROWS}/"
                own.child(name).put(entry, moved(data, rows, self._uri) if is_table else data)
        for log in ("offsets", "commits"):
            for name in sorted(filter(str.isdecimal, root.child(log).names()), key=int):
                if int(name) <= epoch:
                    self._put(root.child(log), name, self._documents.child(log), name)

    def _pending(self) -> None:
        """Writes to tables that no barrier has taken: all of them, or none."""
        if self._planned() > self._manifest.epoch:
            return
        copied = []
        whole = self._whole_transactions()
        for table in self._source.home.child(TABLES).folders():
            rows = self._source.home.child(TABLES).child(table).child(ROWS)
            own = self._target.child(HOME).child(TABLES).child(table).child(ROWS)
            gone = logged(self._documents.child("sources").child(table))
            for name in rows.names():
                of = id_of(name)
                if not name.startswith(".") and name not in gone and (of is None or of in whole):
                    own.take(rows, name)
                    copied.append((own, name))
        if self._planned() > self._manifest.epoch:  # some may have been taken before the copy
            for own, name in copied:
                own.delete(name)

    def _whole_transactions(self) -> set[str]:
        """Those of which all files have come to their tables: the pipeline may be moving some."""
        home = self._source.home
        tables = [home.child(TABLES).child(name) for name in home.child(TABLES).folders()]
        found = {id_of(name) for table in tables for name in table.child(ROWS).names()}
        moving = {id_of(name) for name in home.child(TRANSACTIONS).names()}
        return {each for each in found - moving if each is not None}

    def _planned(self) -> int:
        names = self._source.root.child("offsets").names()
        return max((int(name) for name in names if name.isdecimal()), default=-1)

    def _put(
        self, source: WritableDocuments, name: str, target: WritableDocuments, as_name: str
    ) -> None:
        data = source.read(name)
        if data is not None:
            target.put(as_name, data)
