"""Spark's side of the source: offsets in the driver's process, rows in tasks.

An offset is the position behind a COMMIT. While no transaction changes the tables, though others
write, it may also be a position up to which there was none, so that the slot can follow.

The first batch cannot be read twice, for its snapshot goes with the process that holds it. Spark
plans it again after a crash, perhaps though its epoch is durable and nobody reads it. So the slot
stays where it is, and the snapshot is taken again, later than its offset says. What the slot has
before that is read once more, over it: the same rows, if the next batch goes beyond. So that takes
all there is, and the offset of a snapshot says that it is one.

A large snapshot comes in parts: its offset then has how many chunks were read, and of which
snapshot. When the process that holds a snapshot is gone, all is read again, from a later snapshot:
the rows of a page may be elsewhere since. They are read over those of before. Rows that were
deleted meanwhile go with the changes that the slot has kept.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    SupportsTriggerAvailableNow,
)

from groundswell.errors import SourceError
from groundswell.runtime.planning.sources import Size
from groundswell.sinks.extras import optional
from groundswell.sources.admission import fitting
from groundswell.sources.patience import Connection
from groundswell.sources.postgres_chunks import Chunk, chunks_of
from groundswell.sources.postgres_rows import Batches, Row, changes
from groundswell.sources.postgres_server import (
    PgPlan,
    PgTable,
    check_there,
    connected,
    lsn_of,
    lsn_text,
    make_publication,
    parts_of,
    patience_of,
    quoted,
    text_of,
)
from groundswell.sources.tagged import batched

_log = logging.getLogger("groundswell")

_SNAPSHOTS = itertools.count()

BEGIN = {"lsn": "0/0"}
SNAPSHOT = "snapshot"
CHUNKS, HELD, PARTS = "chunks", "of", "partitions"
QUIET_BYTES = 16 << 20
"""After so much WAL of others a barrier without rows lets the slot follow."""
_SNAPSHOT_ROWS = 10_000
_PEEK = (
    "pg_logical_slot_peek_binary_changes(%s, %s::pg_lsn, %s, 'proto_version', '1', "
    "'publication_names', %s)"
)


@dataclass
class SnapshotPart(InputPartition):
    """Some pages of a table in a snapshot that is held open."""

    number: int
    snapshot: str
    first: int
    last: int | None


@dataclass(frozen=True)
class Held:
    """A snapshot that is held open.

    Attributes:
        lsn: where the changes after it begin.
        name: as the server calls it.
        chunks: all of the tables, in the order in which they are read.
    """

    lsn: str
    name: str
    chunks: Sequence[Chunk]


@dataclass
class StreamPart(InputPartition):
    """The transactions between two positions."""

    start: str
    end: str


class PostgresReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Tells offsets and parts; :meth:`read` runs in tasks."""

    def __init__(self, plan: PgPlan, most: Size = Size()) -> None:  # noqa: B008 - a value
        self._plan = plan
        self._most = most
        self._server = Connection(
            lambda: connected(plan),
            patience_of(plan.retry_seconds),
            (optional("psycopg", "postgres").Error,),
        )
        self._holder: Any = None
        self._lock: Any = None
        self._held: Held | None = None
        self._holding = ""
        self._quiet = -1
        self._target: int | None = None

    def __getstate__(self) -> dict[str, Any]:
        none = dict.fromkeys(("_server", "_holder", "_lock", "_held"))
        return {**self.__dict__, **none}

    def initialOffset(self) -> dict[str, str]:
        """Before the snapshot."""
        return BEGIN

    def getDefaultReadLimit(self) -> ReadLimit:
        """``max_rows`` of the plan, and the size of a snapshot's parts, bound a barrier."""
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        """What is committed by now is all that this run reads."""
        self._target = self._server.ask(_flushed)

    def latestOffset(
        self,
        start: dict[str, str],
        limit: ReadLimit,  # noqa: ARG002
    ) -> dict[str, str]:
        """The position behind the last COMMIT of the next barrier."""
        if start == BEGIN or CHUNKS in start:
            return self._snapshot_from(start)
        self._let_go()
        after = lsn_of(start["lsn"])
        flushed = self._server.ask(_flushed)
        if self._target is not None:
            flushed = min(flushed, self._target)
        if flushed == self._quiet or flushed <= after:
            return start
        had = start.get(PARTS, "")
        parts = self._server.ask(lambda c: check_there(c, self._plan, _passed(start), had))
        also = {PARTS: parts} if parts else {}
        most = None if SNAPSHOT in start else self._plan.max_rows
        found = self._server.ask(lambda connection: self._newest(connection, after, most))
        if found is not None:
            return {"lsn": lsn_text(found), **also}
        self._quiet = flushed
        return {"lsn": lsn_text(flushed), **also} if flushed - after > QUIET_BYTES else start

    def _snapshot_from(self, start: dict[str, str]) -> dict[str, str]:
        """The offset behind some more chunks of a snapshot, or behind the first of a new one."""
        done = 0
        if start == BEGIN:
            held = self._begin()
        elif self._held is not None and self._held.name == start[HELD]:
            held, done = self._held, int(start[CHUNKS])
        else:
            held = self._held or self._begin(start["lsn"])
        end = done + fitting([chunk.size for chunk in held.chunks[done:]], self._most)
        offset = {"lsn": start["lsn"] if CHUNKS in start else held.lsn, SNAPSHOT: "true"}
        if end >= len(held.chunks):
            parts = self._server.ask(lambda connection: parts_of(connection, self._plan))
            return {**offset, PARTS: parts} if parts else offset
        self._keep_tables()
        return {**offset, CHUNKS: str(end), HELD: held.name}

    def _keep_tables(self) -> None:
        """Has no table rewritten while parts of it are read by their pages."""
        if self._lock is not None:
            return
        psycopg = optional("psycopg", "postgres")
        names = ", ".join(table.qualified for table in self._plan.tables)
        try:
            self._lock = connected(self._plan)
            self._lock.execute("SET idle_in_transaction_session_timeout = 0")
            self._lock.execute("BEGIN")
            self._lock.execute(f"LOCK TABLE {names} IN ACCESS SHARE MODE")
        except psycopg.Error as e:
            raise SourceError(f"the snapshot cannot begin: {text_of(e)}") from None

    def _newest(self, connection: Any, after: int, limit: int | None) -> int | None:
        upto = None if self._target is None else lsn_text(self._target)
        while True:
            newest, count = connection.execute(
                "SELECT (max(lsn) FILTER (WHERE get_byte(data, 0) = 67))::text, count(*) "
                f"FROM {_PEEK}",
                [self._plan.slot, upto, limit, self._plan.publication],
            ).fetchone()
            if newest is not None and lsn_of(newest) > after:
                return lsn_of(newest)
            if limit is None or count < limit:
                return None
            limit *= 2  # these were read before, and the slot has not followed yet

    def _begin(self, taken: str | None = None) -> Held:
        """Makes the slot and holds its snapshot open.

        The slot that holds the snapshot goes with its connection; the one that stays is a copy,
        made when Spark has noted the offset. So a crash before that leaves nothing behind. A slot
        that an earlier try has made stays.

        Args:
            taken: where the stream was to begin at an earlier try.
        """
        psycopg = optional("psycopg", "postgres")
        plan = self._plan
        with suppress(psycopg.Error):
            if self._holder is not None:
                self._holder.close()
        try:
            with connected(plan) as connection:
                self._check_free(connection, taken)
                make_publication(connection, plan)
            # The server may still have the slot of a run before, of this process, too.
            self._holding = f"{plan.slot}_snapshot_{os.getpid()}_{next(_SNAPSHOTS)}"
            self._holder = connected(plan, replication="database")
            _, begin, snapshot, _ = self._holder.execute(
                f'CREATE_REPLICATION_SLOT "{self._holding}" TEMPORARY LOGICAL '
                "pgoutput EXPORT_SNAPSHOT"
            ).fetchone()
        except psycopg.Error as e:
            raise SourceError(f"the snapshot cannot begin: {text_of(e)}") from None
        chunks = self._server.ask(lambda connection: chunks_of(connection, self._plan, self._most))
        self._held = Held(str(begin), snapshot, chunks)
        if taken is not None and self._target is not None:
            self._target = self._server.ask(_flushed)
        return self._held

    def _check_free(self, connection: Any, taken: str | None) -> None:
        slot = self._plan.slot
        found = connection.execute(
            "SELECT confirmed_flush_lsn::text FROM pg_replication_slots WHERE slot_name = %s",
            [slot],
        ).fetchone()
        if found is None:
            return
        if taken is None or lsn_of(found[0]) < lsn_of(taken):
            raise SourceError(
                f"replication slot {slot} is there already, and this pipeline begins: give the "
                "pipeline another name= (in SQL another slot.name), or, if no pipeline reads it "
                f"any more, SELECT pg_drop_replication_slot('{slot}')"
            )

    def partitions(self, start: dict[str, str], end: dict[str, str]) -> Sequence[InputPartition]:
        """Pages of the tables, or the transactions up to an offset."""
        if start != BEGIN and CHUNKS not in start:
            return [StreamPart(start["lsn"], end["lsn"])]
        held, name = self._held, end.get(HELD) or start.get(HELD)
        if held is None or (held.name != name if name else held.lsn != end["lsn"]):
            held = self._begin(end["lsn"])
        # Chunks are counted in one snapshot: in another one nothing was read.
        first = int(start[CHUNKS]) if start.get(HELD) == held.name else 0
        last = int(end[CHUNKS]) if CHUNKS in end else None
        with connected(self._plan) as connection:
            self._keep_slot(connection, is_new=start == BEGIN)
        return [SnapshotPart(c.number, held.name, c.first, c.last) for c in held.chunks[first:last]]

    def _keep_slot(self, connection: Any, is_new: bool) -> None:
        """Makes the slot that stays, of the one that holds the snapshot, or sees that it is there.

        Raises:
            SourceError: it was there before, and is gone.
        """
        there = connection.execute(
            "SELECT 1 FROM pg_replication_slots WHERE slot_name = %s", [self._plan.slot]
        ).fetchone()
        if there is not None:
            return
        if not is_new:
            raise SourceError(
                f"replication slot {self._plan.slot} is gone, and a part of the tables was read "
                "before: their changes since then are lost. Start at a new location"
            )
        connection.execute(
            "SELECT pg_copy_logical_replication_slot(%s, %s, false)",
            [self._holding, self._plan.slot],
        )

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of a part, as Arrow batches."""
        if isinstance(partition, SnapshotPart):
            return _snapshot(self._plan, partition)
        assert isinstance(partition, StreamPart)
        return _stream(self._plan, partition)

    def commit(self, end: dict[str, str]) -> None:
        """Nothing: the slot follows durable epochs, not Spark's batches."""

    def _let_go(self) -> None:
        """Of the snapshot, which has been read: the server keeps old rows and its log for it."""
        for connection in (self._holder, self._lock):
            with suppress(Exception):
                if connection is not None:
                    connection.close()
        self._holder = self._lock = self._held = None

    def stop(self) -> None:
        """Closes the connections, and begins nothing more."""
        self._server.stop()
        for connection in (self._holder, self._lock):
            with suppress(Exception):
                if connection is not None:
                    connection.close()


def _passed(start: dict[str, str]) -> str | None:
    """What the slot may have let go, after an epoch that ends there; None: it cannot be told."""
    return None if SNAPSHOT in start else start["lsn"]


def _flushed(connection: Any) -> int:
    (text,) = connection.execute("SELECT pg_current_wal_flush_lsn()::text").fetchone()
    return lsn_of(text)


def _snapshot(plan: PgPlan, part: SnapshotPart) -> Iterator[Any]:
    psycopg = optional("psycopg", "postgres")
    table = plan.tables[part.number]
    try:
        with connected(plan) as connection:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            connection.execute(f"SET TRANSACTION SNAPSHOT '{part.snapshot}'")
            rows = _copied(connection, table, part)
            batches = Batches(plan)
            waiting: list[Row] = []
            for row in rows:
                waiting.append((row, False))
                if len(waiting) == _SNAPSHOT_ROWS:
                    yield batches.of(part.number, waiting)
                    waiting = []
            if waiting:
                yield batches.of(part.number, waiting)
            connection.execute("COMMIT")
    except psycopg.Error as e:
        raise SourceError(
            f"the snapshot of {table.qualified} broke off: {text_of(e)}. Start the pipeline again: "
            "it begins with a new snapshot"
        ) from None


def _copied(connection: Any, table: PgTable, part: SnapshotPart) -> Iterator[list[str | None]]:
    names = ", ".join(quoted(name) for name, _ in table.columns)
    where = []
    if part.first:
        where.append(f"ctid >= '({part.first},0)'::tid")
    if part.last is not None:
        where.append(f"ctid < '({part.last},0)'::tid")
    condition = f" WHERE {' AND '.join(where)}" if where else ""
    query = f"COPY (SELECT {names} FROM {table.qualified}{condition}) TO STDOUT"
    with connection.cursor().copy(query) as copy:
        yield from ([*map(_text, row)] for row in copy.rows())


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _stream(plan: PgPlan, part: StreamPart) -> Iterator[Any]:
    """Reads again from the beginning when the server was away: the batches are the same."""
    psycopg = optional("psycopg", "postgres")
    patience = patience_of(plan.retry_seconds)
    start, end = lsn_of(part.start), lsn_of(part.end)
    given = 0
    while True:
        try:
            with connected(plan) as connection:
                messages = _peeked(connection, plan, part.end)
                rows = changes(plan, messages, start, end)
                for i, batch in enumerate(batched(Batches(plan), rows)):
                    if i >= given:
                        yield batch
                        given += 1
                        patience.reset()
                return
        except psycopg.Error as e:
            patience.wait(e)


def _peeked(connection: Any, plan: PgPlan, end: str) -> Iterator[bytes]:
    with connection.transaction():
        cursor = connection.cursor("groundswell")
        cursor.itersize = 2000
        cursor.execute(
            f"SELECT data FROM {_PEEK}", [plan.slot, end, None, plan.publication], binary=True
        )
        for (data,) in cursor:
            yield data


class Follow:
    """Lets the slot follow durable epochs.

    At most once a second, for the server reads its log each time. A server that is away or refuses
    is told of in the log, once until it answers again, and asked at the next barrier.
    """

    def __init__(self, plan: PgPlan) -> None:
        self._plan = plan
        self._connection: Any = None
        self._last = 0.0
        self._told = False

    def __call__(self, offset: str) -> None:
        """Moves the slot to the offset of a durable epoch, now or at a later one."""
        now = time.monotonic()
        if now - self._last < 1:
            return
        psycopg = optional("psycopg", "postgres")
        for _ in range(20):
            try:
                if self._connection is None or self._connection.closed:
                    self._connection = connected(self._plan)
                self._connection.execute(
                    "SELECT pg_replication_slot_advance(slot_name, %s::pg_lsn) "
                    "FROM pg_replication_slots "
                    "WHERE slot_name = %s AND confirmed_flush_lsn < %s::pg_lsn",
                    [json.loads(offset)["lsn"], self._plan.slot, json.loads(offset)["lsn"]],
                )
                self._last = now
                self._told = False
                return
            except psycopg.errors.ObjectInUse:
                time.sleep(0.02)
            except psycopg.Error as e:
                if not self._told:
                    self._told = True
                    _log.warning(
                        "the replication slot %r does not follow: %s. The server keeps its log "
                        "from there on; later barriers try again",
                        self._plan.slot,
                        text_of(e),
                    )
                return
