"""What one client does: transactions, prepared statements, portals and cursors.

A transaction reads one epoch: the newest one when its first query begins.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from groundswell.serve import commands as c
from groundswell.serve.dialect import Names
from groundswell.serve.dialect import translated as in_duckdb
from groundswell.serve.engine import Column, Engine, Query, Relation
from groundswell.serve.errors import ABORTED, ServeError
from groundswell.serve.feed import Feed, Taken
from groundswell.serve.lexer import quoted
from groundswell.serve.lists import with_lists
from groundswell.serve.parameters import bound, count, literal
from groundswell.serve.pgcatalog import relation
from groundswell.serve.portals import Copied, Done, Listed, Portal, Rows
from groundswell.serve.settings import Settings
from groundswell.serve.snapshots import Snapshot, Snapshots
from groundswell.serve.statement import parameter_types, parsed

IDLE, IN_TRANSACTION, FAILED = "I", "T", "E"
_WHILE_FAILED = (c.End, c.Savepoint)


@dataclass(frozen=True)
class Prepared:
    """A prepared statement.

    Attributes:
        sql: as the client wrote it.
        types: object ids of its parameters; 0: not known.
    """

    sql: str
    types: tuple[int, ...] = ()


@dataclass
class Cursor:
    """A cursor of ``DECLARE``: its query begins with the first FETCH.

    Attributes:
        feed: of SUBSCRIBE; else ``snapshot`` is what its query reads.
    """

    sql: str
    hold: bool
    columns: list[Column]
    feed: Feed | None = None
    snapshot: Snapshot | None = None
    query: Query | None = None


@dataclass(frozen=True)
class Limits:
    """What a server allows its sessions.

    Attributes:
        seconds: that a statement may take; None: as long as it likes.
    """

    seconds: float | None = None


@dataclass
class Session:
    """One client's state.

    Args:
        engine: that runs its queries.
        snapshots: of the location.
        database: its name.
        user: who it is.
        limits: of the server.
        given: settings that the client asked for.
        number: its process id, for the catalog.
        gone: whether the client has left, for statements that wait.
    """

    engine: Engine
    snapshots: Snapshots
    database: str
    user: str
    limits: Limits
    given: Mapping[str, str]
    number: int
    gone: Callable[[], bool] = bool
    status: str = IDLE
    prepared: dict[str, Prepared] = field(default_factory=dict)
    portals: dict[str, Portal] = field(default_factory=dict)
    cursors: dict[str, Cursor] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.settings = Settings(self.given, self._check_zone)
        self._snapshot: Snapshot | None = None
        self._running: Portal | Query | None = None
        self._canceled = threading.Event()

    # What connections call.

    def prepare(self, name: str, sql: str, types: Sequence[int]) -> None:
        """Keeps a statement under a name; the empty one is replaced.

        Raises:
            ServeError: there is one of that name (42P05).
        """
        if name and name in self.prepared:
            raise ServeError("42P05", f'prepared statement "{name}" already exists')
        given = tuple(types)
        missing = (0,) * max(0, count(sql) - len(given))
        self.prepared[name] = Prepared(sql, given + missing)

    def statement(self, name: str) -> Prepared:
        """A prepared statement; `ServeError` 26000 if there is none."""
        try:
            return self.prepared[name]
        except KeyError:
            raise ServeError("26000", f'prepared statement "{name}" does not exist') from None

    def portal(self, name: str) -> Portal:
        """A portal; `ServeError` 34000 if there is none."""
        try:
            return self.portals[name]
        except KeyError:
            raise ServeError("34000", f'portal "{name}" does not exist') from None

    def open(self, sql: str, literals: Sequence[str] = (), forms: Sequence[int] = ()) -> Portal:
        """Begins a statement.

        Args:
            sql: one statement.
            literals: its parameters, as SQL.
            forms: of the columns of its result, text or binary; none: text.

        Raises:
            ServeError: it cannot be run, would write, or fails.
        """
        command = c.read(sql)
        if self.status == FAILED and not isinstance(command, _WHILE_FAILED):
            raise ServeError(
                ABORTED,
                "current transaction is aborted, commands ignored until end of transaction block",
            )
        return self._open(command, literals, forms)

    def describe(self, name: str) -> tuple[tuple[int, ...], list[Column] | None]:
        """Types of a prepared statement's parameters, and its columns; None: it gives none."""
        prepared = self.statement(name)
        types = prepared.types
        command = c.read(prepared.sql)
        if isinstance(command, c.Query | c.Explain):
            with self._reading() as snapshot:
                relations = _Seen(snapshot, self)
                text = in_duckdb(command.sql, self._names(snapshot))
                if 0 in types:
                    select = parsed(self.engine.connection(), text)
                    known = snapshot.catalog.column_types(select.relations)
                    found = parameter_types(select, len(types), known)
                    types = tuple(t or f for t, f in zip(types, found, strict=True))
                    self.prepared[name] = Prepared(prepared.sql, types)
                if isinstance(command, c.Explain):
                    return types, self.columns_of(command)
                nulls = bound(text, [_null(oid) for oid in types])
                return types, self._query(nulls, relations).describe()
        return types, self.columns_of(command)

    def columns_of(self, command: c.Command) -> list[Column] | None:
        """The columns that a statement without parameters gives; None: none."""
        if isinstance(command, c.Query):
            return self.describe_sql(command.sql)
        if isinstance(command, c.Fetch) and not command.move:
            return self.cursor(command.name).columns
        if isinstance(command, c.Show):
            return Listed.shown(command.name)
        if isinstance(command, c.Explain):
            return Listed.shown("QUERY PLAN")
        if isinstance(command, c.Execute):
            return self.describe(command.name)[1]
        if isinstance(command, c.Subscribe):
            feed = self._feed(command, ())
            feed.close()
            return feed.columns
        return None

    def describe_sql(self, sql: str) -> list[Column]:
        """The columns of a SELECT."""
        with self._reading() as snapshot:
            text = self._text(sql, snapshot, ())
            return self._query(text, _Seen(snapshot, self)).describe()

    def cursor(self, name: str) -> Cursor:
        """A cursor; `ServeError` 34000 if there is none."""
        try:
            return self.cursors[name]
        except KeyError:
            raise ServeError("34000", f'cursor "{name}" does not exist') from None

    def running(self, what: Portal | Query | None) -> None:
        """Notes what a cancel would stop; None: nothing."""
        self._running = what
        if what is None:
            self._canceled.clear()

    def cancel(self) -> None:
        """Stops the statement at hand, from another thread."""
        self._canceled.set()
        running = self._running
        if running is not None:
            running.cancel()

    def failed(self) -> None:
        """Says that a statement failed."""
        if self.status == IN_TRANSACTION:
            self.status = FAILED

    def synced(self) -> None:
        """Ends what no transaction holds."""
        if self.status == IDLE:
            self._end_of_transaction()

    def close(self) -> None:
        """Lets go of all that the client had."""
        for cursor in list(self.cursors):
            self._close(cursor)
        self._end_of_transaction()

    @property
    def seconds(self) -> float | None:
        """How long a statement may take: the lesser of the server's limit and the session's."""
        limits = [s for s in (self.limits.seconds, self.settings.timeout) if s is not None]
        return min(limits, default=None)

    # Statements.

    def _open(self, command: c.Command, literals: Sequence[str], forms: Sequence[int]) -> Portal:
        match command:
            case c.Query(sql):
                return self._select(sql, literals, forms)
            case c.Copy():
                inner = c.read(command.sql)
                if not isinstance(inner, c.Query | c.Subscribe):
                    raise ServeError("42601", "COPY takes a SELECT, a view or SUBSCRIBE")
                return Copied(self._open(inner, literals, ()), command)
            case c.Explain(sql):
                with self._reading() as snapshot:
                    text = self._text(sql, snapshot, literals)
                    query = self._query(text, _Seen(snapshot, self))
                    return Listed("EXPLAIN", "QUERY PLAN", query.explain(self.seconds), forms)
            case c.Declare():
                return self._declare(command, literals)
            case c.Fetch():
                return self._fetch(command, forms)
            case c.Execute(name, values):
                prepared = self.statement(name)
                return self.open(prepared.sql, values, forms)
            case c.Show("all"):
                rows = [tuple(v.encode() for v in pair) for pair in self.settings.all()]
                return Listed("SHOW", "name", rows, forms, ("setting",))
            case c.Show(name):
                value = self.settings.get(name).encode()
                return Listed("SHOW", name, [(value,)], forms)
            case c.Subscribe():
                return self._feed(command, forms)
        return Done(self._done(command))

    def _done(self, command: c.Command) -> str:
        """Runs a statement that gives no rows; its command tag."""
        match command:
            case c.Begin():
                self.status = IN_TRANSACTION if self.status == IDLE else self.status
                return "BEGIN"
            case c.End(commit):
                tag = "COMMIT" if commit and self.status != FAILED else "ROLLBACK"
                self.status = IDLE
                self._end_of_transaction()
                return tag
            case c.Savepoint(tag):
                if self.status == IDLE:
                    raise ServeError("25P01", f"{tag} can only be used in transaction blocks")
                if tag == "ROLLBACK":
                    self.status = IN_TRANSACTION
                elif self.status == FAILED:
                    raise ServeError(ABORTED, "current transaction is aborted")
                return tag
            case c.Set(name, value, tag):
                self.settings.set(name, value)
                return tag
            case c.Close(name):
                for each in list(self.cursors) if name is None else [name]:
                    self.cursor(each)
                    self._close(each)
                return "CLOSE CURSOR ALL" if name is None else "CLOSE CURSOR"
            case c.Prepare(name, sql):
                self.prepare(name, sql, ())
                return "PREPARE"
            case c.Deallocate(name):
                if name is not None:
                    self.statement(name)
                    del self.prepared[name]
                else:
                    self.prepared.clear()
                return "DEALLOCATE ALL" if name is None else "DEALLOCATE"
            case c.Discard():
                self.close()
                self.prepared.clear()
                self.settings.set("all", None)
                return "DISCARD ALL"
            case c.Nothing(tag):
                return tag
        raise AssertionError(command)

    def _select(self, sql: str, literals: Sequence[str], forms: Sequence[int]) -> Portal:
        with self._reading() as snapshot:
            text = self._text(sql, snapshot, literals)
            query = self._query(text, _Seen(snapshot, self))
            self._start(query, forms)
            return Rows("SELECT", query, self.seconds)

    def _start(self, query: Query, forms: Sequence[int]) -> None:
        self.running(query)
        if self._canceled.is_set():
            query.cancel()
        try:
            query.start(forms, self.seconds)
        except BaseException:
            query.close()
            raise

    def _feed(self, asked: c.Subscribe, forms: Sequence[int]) -> Feed:
        zone = self.settings.zone
        return Feed(self.engine, self.snapshots, asked, zone, self.gone, forms)

    def _declare(self, command: c.Declare, literals: Sequence[str]) -> Portal:
        if self.status == IDLE and not command.hold:
            raise ServeError("25P01", "DECLARE CURSOR can only be used in transaction blocks")
        if command.name in self.cursors:
            raise ServeError("42P03", f'cursor "{command.name}" already exists')
        inner = c.read(command.sql)
        if isinstance(inner, c.Subscribe):
            feed = self._feed(inner, ())
            self.cursors[command.name] = Cursor(command.sql, command.hold, feed.columns or [], feed)
            return Done("DECLARE CURSOR")
        if not isinstance(inner, c.Query):
            raise ServeError("42601", "a cursor is FOR a SELECT or SUBSCRIBE")
        snapshot = self.snapshots.acquire() if self._snapshot is None else self._hold_of()
        try:
            text = self._text(inner.sql, snapshot, literals)
            columns = self._query(text, _Seen(snapshot, self)).describe()
        except BaseException:
            self.snapshots.release(snapshot)
            raise
        self.cursors[command.name] = Cursor(text, command.hold, columns, snapshot=snapshot)
        return Done("DECLARE CURSOR")

    def _hold_of(self) -> Snapshot:
        assert self._snapshot is not None
        return self.snapshots.again(self._snapshot)

    def _fetch(self, command: c.Fetch, forms: Sequence[int]) -> Portal:
        tag = "MOVE" if command.move else "FETCH"
        portal = None if command.name in self.cursors else self.portals.get(command.name)
        if portal is not None and (command.move or not any(portal.forms)):
            return portal.part(tag, command.most, forms)
        cursor = self.cursor(command.name)
        if cursor.feed is not None:
            if command.move:
                raise ServeError("0A000", "MOVE does not go over SUBSCRIBE", "FETCH the rows.")
            limit = self.seconds
            return Taken(cursor.feed, tag, command.most, command.seconds, forms, limit)
        if cursor.query is None:
            assert cursor.snapshot is not None
            query = self._query(cursor.sql, _Seen(cursor.snapshot, self))
            self._start(query, forms)
            cursor.query = query
        rows = Rows(tag, cursor.query, self.seconds, owns=False)
        return rows.part(tag, command.most, forms)

    def _close(self, name: str) -> None:
        cursor = self.cursors.pop(name)
        if cursor.query is not None:
            cursor.query.close()
        if cursor.snapshot is not None:
            self.snapshots.release(cursor.snapshot)
        if cursor.feed is not None:
            cursor.feed.close()

    # What they read.

    def _query(self, sql: str, relations: _Seen) -> Query:
        return Query(self.engine, sql, relations, self.settings.zone)

    def _text(self, sql: str, snapshot: Snapshot, literals: Sequence[str]) -> str:
        """A SELECT as DuckDB reads it, with its parameters."""
        text = bound(in_duckdb(sql, self._names(snapshot)), literals)
        return with_lists(self.engine.connection(), text, snapshot.catalog.column_types)

    def _names(self, snapshot: Snapshot) -> Names:
        user = quoted(self.user)
        values = dict.fromkeys(("current_user", "session_user", "user"), user)
        values["pg_backend_pid"] = str(self.number)
        catalog = snapshot.catalog
        return Names(self.database, catalog.oid, self.settings.find, values, catalog.indexes)

    def _reading(self) -> _Reading:
        return _Reading(self)

    def _end_of_transaction(self) -> None:
        for portal in self.portals.values():
            portal.close()
        self.portals.clear()
        for name, cursor in list(self.cursors.items()):
            if not cursor.hold:
                self._close(name)
        if self._snapshot is not None:
            self.snapshots.release(self._snapshot)
            self._snapshot = None

    def _check_zone(self, zone: str) -> None:
        self.engine.connection(zone).close()


class _Reading:
    """The snapshot of the transaction, or one for a statement alone."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._own: Snapshot | None = None

    def __enter__(self) -> Snapshot:
        session = self._session
        if session._snapshot is not None:
            return session._snapshot
        found = session.snapshots.acquire()
        if session.status == IDLE:
            self._own = found
        else:
            session._snapshot = found
        return found

    def __exit__(self, *_: object) -> None:
        if self._own is not None:
            self._session.snapshots.release(self._own)


class _Seen:
    """The relations of a snapshot, and those that a session has of its own."""

    def __init__(self, snapshot: Snapshot, session: Session) -> None:
        self._snapshot = snapshot
        self._session = session
        self.names = snapshot.names

    def find(self, name: str) -> Relation | None:
        """The relation of a name; None: there is none."""
        known, session = name.lower(), self._session
        if known == "pg_cursors":
            return relation(
                known,
                [
                    {"name": n, "statement": cursor.sql, "is_holdable": cursor.hold}
                    for n, cursor in session.cursors.items()
                ],
            )
        if known == "pg_prepared_statements":
            return relation(
                known,
                [{"name": n, "statement": p.sql} for n, p in session.prepared.items() if n],
            )
        if known == "pg_settings":
            return relation(
                known,
                [
                    {"name": n, "setting": v, "context": "user", "vartype": "string"}
                    for n, v in session.settings.all()
                ],
            )
        return self._snapshot.find(name)


def _null(oid: int) -> str:
    return literal(oid, 0, None)
