"""The rows of views at epochs, decoded once for all sessions."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from groundswell.contract.commits import CommitRef
from groundswell.errors import GroundswellError
from groundswell.format import Folder, States, Store, Version, open_folder
from groundswell.format.lookup import OpenFiles
from groundswell.plan.sources import MALFORMED
from groundswell.runtime.record.location import FOLDER, states_in
from groundswell.runtime.record.published import Published
from groundswell.serve import keys
from groundswell.serve.engine import Check
from groundswell.serve.image import BUNDLES, ROWS, STEM, Image, ImageMaker
from groundswell.serve.kept_images import KeptImages
from groundswell.serve.statement import Select
from groundswell.state.stream_keys import can_be_looked_up, hash_of, row_of

CHECK_SECONDS = 0.05
LOADERS = 2
"""So many views are decoded at a time."""
VERSIONS = 512
"""So many manifests of partitions are kept."""


@dataclass
class _View:
    """What is known of one state.

    Attributes:
        makes: its images.
        images: of its partitions, by number: the commit, and the image of it.
        by_key: whether its rows are found by the values of its key; None: not known yet.
        name: what its files are called, if they are kept.
        lock: whoever makes images has it.
        loads: what is being made, by commits.
    """

    makes: ImageMaker
    images: dict[int, tuple[CommitRef, Image]] = field(default_factory=dict)
    by_key: bool | None = None
    name: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)
    loads: dict[tuple[CommitRef, ...], Future[list[Image]]] = field(default_factory=dict)

    def current(self, commits: tuple[CommitRef, ...]) -> list[Image] | None:
        """The images of some commits, if they are the last ones."""
        found = [self.images.get(number) for number in range(len(commits))]
        images = [
            each[1]
            for each, commit in zip(found, commits, strict=True)
            if each and each[0] == commit
        ]
        return images if len(images) == len(commits) else None


class Images:
    """What was decoded, shared by all sessions.

    Args:
        location: the pipeline's checkpointLocation.
        kept: files that the next server finds; None: there are none.
    """

    def __init__(self, location: str, kept: KeptImages | None = None) -> None:
        self._kept = kept
        self._home: Folder = open_folder(location).child(FOLDER)
        self._files = OpenFiles()
        self._states: tuple[int, States] | None = None
        self._views: dict[tuple[int, str, pa.Schema], _View] = {}
        self._versions: OrderedDict[tuple[States, str, int, CommitRef], Version] = OrderedDict()
        self._gaps: set[tuple[str, str]] = set()
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(LOADERS, thread_name_prefix="serve decode")

    def is_new_gap(self, view: str, column: str) -> bool:
        """Whether a column that cannot be shown is met for the first time."""
        new = (view, column) not in self._gaps
        self._gaps.add((view, column))
        return new

    def whole(self, published: Published, state: str, schema: pa.Schema, check: Check) -> pa.Table:
        """All rows of a state at an epoch.

        They are decoded in a thread of their own, which goes on if whoever waits does not.

        Args:
            published: the epoch.
            state: its name.
            schema: of the columns that clients see.
            check: raises if the caller is to wait no longer.

        Raises:
            Corruption, StorageFailed: a file cannot be read.
            VersionUnavailable: the epoch was retired meanwhile.
        """
        known = self._view(published, state, schema)
        commits = published.commits(state)
        images = known.current(commits)
        if images is None:
            work = self._load(known, self._of(published.generation), state, commits)
            while images is None:
                try:
                    images = work.result(timeout=CHECK_SECONDS)
                except TimeoutError:
                    if work.done():
                        raise
                    check()
        return _shown([batch for image in images for batch in image.batches], schema)

    def count(self, published: Published, state: str, schema: pa.Schema) -> int | None:
        """How many rows clients see of a state; None: only its rows say so.

        Manifests count the entries of tables that are written with care for what was there
        (docs/format.md). That is the number of rows if each entry is one, and none has ended.

        Args:
            published: the epoch.
            state: its name.
            schema: of the columns that clients see.
        """
        if any(c["name"] == MALFORMED for c in published.layout(state)["columns"]):
            return None
        commits = published.commits(state)
        images = self._view(published, state, schema).current(commits)
        if images is not None:
            return sum(image.rows for image in images)
        states = self._of(published.generation)
        found = 0
        for number, commit in enumerate(commits):
            version = self._version(states, state, number, commit)
            for table in () if version is None else version.manifest.tables:
                if table.name not in (ROWS, BUNDLES):
                    continue
                if table.name == BUNDLES or not table.counted or table.watermark:
                    return None
                found += table.live_keys
        return found

    def _load(
        self, known: _View, states: States, state: str, commits: tuple[CommitRef, ...]
    ) -> Future[list[Image]]:
        """The images of some commits, once for all who wait for them."""

        def load() -> list[Image]:
            try:
                with known.lock:
                    return [
                        self._image(known, states, state, number, commit)
                        for number, commit in enumerate(commits)
                    ]
            finally:
                with self._lock:
                    known.loads.pop(commits, None)

        with self._lock:
            work = known.loads.get(commits)
            if work is None:
                work = known.loads[commits] = self._pool.submit(load)
            return work

    def by_key(
        self,
        published: Published,
        state: str,
        schema: pa.Schema,
        select: Select,
        view: str,
        key: Sequence[str],
    ) -> pa.Table | None:
        """The rows that a statement can see; None: perhaps all, or they are not found by key.

        Args:
            published: the epoch.
            state: its name.
            schema: of the columns that clients see.
            select: the statement.
            view: what it calls the view.
            key: the view's key.

        Raises:
            Corruption, StorageFailed, VersionUnavailable: as :meth:`whole`.
        """
        columns = published.layout(state)["columns"]
        types = [next(c["type"] for c in columns if c["name"] == name) for name in key]
        wanted = keys.wanted(select, view, key, types)
        if wanted is None:
            return None
        known = self._view(published, state, schema)
        states = self._of(published.generation)
        found = self._by_key(published, states, state, known, key, types, wanted)
        return None if found is None else _shown([found], schema)

    def close(self) -> None:
        """Lets go of all rows; where files are kept, these have the newest ones."""
        self._pool.shutdown(wait=self._kept is not None, cancel_futures=True)
        with self._lock:
            views, self._views = self._views, {}
        if self._kept is None:
            return
        for view in views.values():
            for number, (commit, image) in view.images.items():
                self._kept.write(view.name, number, commit, image)

    def forget(self, states: Collection[str]) -> None:
        """Lets go of the rows of all states but these."""
        with self._lock:
            self._views = {at: view for at, view in self._views.items() if at[1] in states}

    def _of(self, generation: int) -> States:
        with self._lock:
            if self._states is None or self._states[0] != generation:
                self._states = (generation, States(states_in(self._home, generation), self._home))
            return self._states[1]

    def _view(self, published: Published, state: str, schema: pa.Schema) -> _View:
        columns = published.layout(state)["columns"]
        at = (published.generation, state, schema)
        with self._lock:
            if at not in self._views:
                name = ""
                if self._kept is not None:
                    name = self._kept.name(published.generation, state, schema, columns)
                kept = schema
                malformed = next((c for c in columns if c["name"] == MALFORMED), None)
                if malformed is not None:
                    kept = schema.append(pa.field(MALFORMED, pa.string()))
                self._views[at] = _View(ImageMaker(columns, kept), name=name)
            return self._views[at]

    def _image(
        self, known: _View, states: States, state: str, number: int, commit: CommitRef
    ) -> Image:
        last = known.images.get(number)
        if last is not None and last[0] == commit:
            return last[1]
        version = self._version(states, state, number, commit)
        if last is None:
            image = self._first(known, states, state, number, commit, version)
        elif last[1].version < commit.version:
            image = known.makes.next(last[1], version)
        else:  # of an older epoch than the last one, for a transaction that still reads it
            return known.makes.first(version)
        known.images[number] = commit, image
        return image

    def _first(
        self,
        known: _View,
        states: States,
        state: str,
        number: int,
        commit: CommitRef,
        version: Version | None,
    ) -> Image:
        """The first image of a partition: from a file, made of one, or from all of its rows."""
        if self._kept is None or version is None:
            return known.makes.first(version)
        there = self._kept.find(known.name, number, commit)
        if there is not None and there.commit.version == commit.version:
            return there.image
        if there is not None and self._is_there(states, state, number, there.commit):
            return known.makes.next(there.image, version)
        return self._kept.keep(
            known.name, number, commit, lambda path: known.makes.first(version, path)
        )

    def _is_there(self, states: States, state: str, number: int, commit: CommitRef) -> bool:
        """Whether a commit is still kept: then a later one is made of it, and of no other."""
        try:
            return self._version(states, state, number, commit) is not None
        except (GroundswellError, OSError):
            return False

    def version(
        self, generation: int, state: str, number: int, commit: CommitRef
    ) -> Version | None:
        """A partition of a state at a commit; None: nothing was ever written."""
        return self._version(self._of(generation), state, number, commit)

    def _version(
        self, states: States, state: str, number: int, commit: CommitRef
    ) -> Version | None:
        """A partition's version; None: nothing was ever written."""
        if commit.version == 0:
            return None
        at = (states, state, number, commit)
        with self._lock:
            known = self._versions.get(at)
            if known is not None:
                self._versions.move_to_end(at)
                return known
        found = Store(states.store(state, number)).version(commit.version, commit.id or "")
        with self._lock:
            self._versions[at] = found
            if len(self._versions) > VERSIONS:
                self._versions.popitem(last=False)
        return found

    def _by_key(
        self,
        published: Published,
        states: States,
        state: str,
        known: _View,
        key: Sequence[str],
        types: Sequence[Any],
        wanted: Sequence[tuple[Any, ...]],
    ) -> pa.RecordBatch | None:
        """The rows of some keys; None: the view's rows are not found by them."""
        if known.by_key is False or not all(map(can_be_looked_up, types)):
            return None
        commits = published.commits(state)
        versions: dict[int, Version | None] = {}

        def version(number: int) -> Version | None:
            if number not in versions:
                versions[number] = self._version(states, state, number, commits[number])
            return versions[number]

        if known.by_key is None:
            known.by_key = self._finds(version, len(commits), known, key, types)
            if not known.by_key:
                return None
        rows = []
        for values in wanted:
            hashed = hash_of(values, types)
            signed = hashed - (1 << 32) if hashed >> 31 else hashed
            there = version(signed % len(commits))
            if there is None:
                continue
            table = next((t for t in there.manifest.tables if t.name == ROWS), None)
            if table is None:
                continue
            stem = table.id.to_bytes(2, "big") + hashed.to_bytes(4, "big") + row_of(values, types)
            value = there.get(ROWS, stem, self._files)
            if value is not None:
                rows.append((stem, value))
        return known.makes.decoded(rows)

    def _finds(
        self, version: Any, partitions: int, known: _View, key: Sequence[str], types: Sequence[Any]
    ) -> bool:
        """Whether a row's key is made of the key's values, told from the first row that there is.

        False as well if there are bundles, which have keys of their own.
        """
        found = None
        for number in range(partitions):
            there = version(number)
            tables = {} if there is None else {t.name: t for t in there.manifest.tables}
            if BUNDLES in tables or (ROWS in tables and tables[ROWS].ordered):
                return False
            if found is None and there is not None and ROWS in tables:
                first = next(iter(there.stems(ROWS)), None)
                found = None if first is None else (number, *first)
        if found is None:
            return True
        number, stem, value = found
        names = known.makes.full.names
        row = known.makes.decoded([(stem, value)])
        values = tuple(_plain(row.column(names.index(name))) for name in key)
        hashed = hash_of(values, types)
        signed = hashed - (1 << 32) if hashed >> 31 else hashed
        made = hashed.to_bytes(4, "big") + row_of(values, types)
        return bool(stem[2:] == made and signed % partitions == number)


def _plain(column: pa.Array) -> Any:
    if pa.types.is_date32(column.type):
        column = column.cast(pa.int32())
    return column[0].as_py()


def _shown(batches: Sequence[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """What clients see of rows."""
    if not batches:
        return schema.empty_table()
    table = pa.Table.from_batches(batches).drop_columns([STEM])
    if MALFORMED in table.column_names:
        table = table.filter(pc.field(MALFORMED).is_null())
    return table.select(schema.names)
