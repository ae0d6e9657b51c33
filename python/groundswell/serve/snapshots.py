"""The newest epoch of a location, as relations that sessions read.

Sessions that begin a transaction at the same time share a snapshot. A lease keeps its epoch as long
as one of them reads it, and ends by itself when no one does.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from groundswell.errors import InvalidArgument
from groundswell.plan.sources import HIDDEN, MALFORMED
from groundswell.runtime.ownership.leases import SECONDS, Lease, lease_if_allowed, leased
from groundswell.runtime.record.checkpoints import check_newest
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import EPOCHS, FOLDER
from groundswell.runtime.record.published import Published
from groundswell.serve.engine import Check, Relation
from groundswell.serve.images import Images
from groundswell.serve.kept_images import KeptImages
from groundswell.serve.lexer import identifier
from groundswell.serve.pgcatalog import Catalog, ViewFacts
from groundswell.serve.statement import Select
from groundswell.state.documents import open_documents
from groundswell.state.types import arrow_type

LOOK_SECONDS = 0.1
"""How old the newest epoch that is known may be when a transaction begins; local files."""
REMOTE_LOOK_SECONDS = 1.0
HOLD_SECONDS = 3600.0
"""For how long a transaction keeps its epoch from being retired."""
_log = logging.getLogger("groundswell")


class Snapshot:
    """The views and readable tables of one epoch.

    Args:
        published: what the epoch published.
        lease: on it; None: this process may not write there.
        images: the rows of states.
        database: name of the database, for the catalog.
    """

    def __init__(
        self, published: Published, lease: Lease | None, images: Images, database: str
    ) -> None:
        self.published = published
        self.epoch = published.epoch
        self.lease = lease
        self.readers = 0
        self.begun = time.monotonic()
        self.names = tuple(published.names())
        self._views: dict[str, Relation] = {}
        self._facts: dict[str, ViewFacts] = {}
        for name in self.names:
            relation, found = _relation(name, published, images)
            self._views[name.lower()] = relation
            self._facts[name.lower()] = found
        self.catalog = Catalog(database, list(self._facts.values()))

    def find(self, name: str) -> Relation | None:
        """The relation of a name; None: there is none."""
        return self._views.get(name.lower()) or self.catalog.find(name)

    def facts(self, name: str) -> ViewFacts | None:
        """What is known of a view or table; None: there is none of that name."""
        return self._facts.get(name.lower())


def _relation(name: str, published: Published, images: Images) -> tuple[Relation, ViewFacts]:
    state = published.state(name)
    layout = published.layout(state)
    fields: list[pa.Field] = []
    shown: dict[str, str] = {}
    gaps: dict[str, str] = {}
    for column in layout["columns"]:
        of = column["name"]
        if of in HIDDEN or of == MALFORMED:
            continue
        try:
            kind = arrow_type(column["type"], of)
        except InvalidArgument:
            given = column["type"]
            gaps[of] = given if isinstance(given, str) else str(given.get("type"))
            if images.is_new_gap(name, of):
                _log.warning("view %s: column %s of type %s is left out", name, of, column["type"])
            continue
        if str(column["type"]).startswith(("interval year", "interval month")):
            shown[of] = f"to_months({identifier(of)})"
        fields.append(pa.field(of, kind, bool(column.get("nullable", True))))
    schema = pa.schema(fields)
    by = [c for c in layout.get("by", ()) if c in schema.names]
    key = tuple(by) if len(by) == len(layout.get("by", ())) else ()

    whole: list[pa.Table] = []

    def rows(select: Select | None, check: Check) -> pa.Table:
        if select is not None:
            some = images.by_key(published, state, schema, select, name, key)
            if some is not None:
                return some
        if not whole:
            whole.append(images.whole(published, state, schema, check))
        return whole[0]

    def count() -> int | None:
        return images.count(published, state, schema)

    relation = Relation(schema, rows, shown, count, gaps)
    is_table = name in published.tables
    return relation, ViewFacts(name, schema, shown, key, is_table)


class Snapshots:
    """Snapshots of a location, the newest one on demand.

    Args:
        location: the pipeline's checkpointLocation, a path or URI.
        database: name of the database, for the catalog.
        look: seconds for which the newest epoch that is known counts as the newest.
        cache: a folder for decoded rows; None: the next server decodes them again.
    """

    def __init__(
        self,
        location: str,
        database: str,
        look: float | None = None,
        cache: Path | None = None,
    ) -> None:
        self.location = location
        self._database = database
        self._root = open_documents(location)
        self.home = self._root.child(FOLDER)
        self.log = EpochLog(self.home.child(EPOCHS))
        remote = "://" in location and not location.startswith("file:")
        self._look = (REMOTE_LOOK_SECONDS if remote else LOOK_SECONDS) if look is None else look
        kept = None if cache is None else KeptImages(cache, self._root.location)
        self.images = Images(location, kept)
        self._looking = threading.Lock()
        self._guard = threading.Lock()
        self._current: Snapshot | None = None
        self._held: list[Snapshot] = []
        self._looked = 0.0
        self._ended = threading.Event()
        threading.Thread(target=self._renew, name="serve leases", daemon=True).start()

    def acquire(self) -> Snapshot:
        """The newest snapshot, for a reader that must release it.

        Raises:
            ConfigurationError: no pipeline was started there.
            EpochUnavailable: no epoch is published there yet.
        """
        with self._looking:
            now = time.monotonic()
            if self._current is None or now - self._looked > self._look:
                self._refresh()
                self._looked = now
            found = self._current
            assert found is not None
            with self._guard:
                found.readers += 1
                found.begun = now  # its last reader counts
            return found

    def again(self, snapshot: Snapshot) -> Snapshot:
        """The same snapshot for one more reader."""
        with self._guard:
            snapshot.readers += 1
        return snapshot

    def release(self, snapshot: Snapshot) -> None:
        """Says that a reader is done with it."""
        with self._guard:
            snapshot.readers -= 1

    @contextmanager
    def reading(self) -> Iterator[Snapshot]:
        """The newest snapshot for a block."""
        snapshot = self.acquire()
        try:
            yield snapshot
        finally:
            self.release(snapshot)

    def close(self) -> None:
        """Ends leases, and removes files of its own."""
        self._ended.set()
        self.images.close()
        if self._current is not None and self._current.lease is not None:
            self._current.lease.end()

    def _refresh(self) -> None:
        current = self._current
        newest = max(self.log.counted().items(), default=None)
        lease = current.lease if current is not None else None
        if current is not None and newest is not None and newest[0] == current.epoch:
            if lease is not None and lease.left() < SECONDS / 2:
                lease.renew()  # in time or not: the newest epoch is never retired
            return
        check_newest(self._root, self.home)
        published, lease = leased(
            lambda at: Published(self.home, self.location, at, self.log),
            self.home,
            None,
            lease_if_allowed,
        )
        if current is not None and current.lease is not None and not current.readers:
            current.lease.end()
        self._current = Snapshot(published, lease, self.images, self._database)
        self._held = [*self._read(), self._current]
        self.images.forget(
            {snapshot.published.state(name) for snapshot in self._held for name in snapshot.names}
        )

    def _read(self) -> list[Snapshot]:
        """Those that someone reads."""
        with self._guard:
            return [s for s in self._held if s.readers]

    def _renew(self) -> None:
        while not self._ended.wait(SECONDS / 6):
            for snapshot in self._read():
                try:
                    held = time.monotonic() - snapshot.begun
                    lease = snapshot.lease
                    if lease is not None and lease.left() < SECONDS / 2 and held < HOLD_SECONDS:
                        lease.renew()
                except Exception as error:  # noqa: BLE001 - tried again; a reader notices
                    _log.warning("the lease on epoch %s: %s", snapshot.epoch, error)
