"""PostgreSQL: the rows and the number of an epoch in one transaction.

An epoch is copied into temporary tables, and from there upserted and deleted in the target by one
statement each. The table ``groundswell_epochs`` beside the target holds, by sink, the last epoch
and the token; its row is locked first, so that an owner that was overtaken waits, and is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from groundswell import sqlstate
from groundswell.errors import GroundswellError, SinkError, SinkRowRefused, SinkUnavailable
from groundswell.sinks.changes import Changes
from groundswell.sinks.extras import optional
from groundswell.sinks.narrowing import NARROWING, Narrowing
from groundswell.sinks.options import SinkOption, SinkOptions
from groundswell.sinks.postgres_table import Column, Target, pg_type, quoted
from groundswell.sinks.postgres_text import as_csv
from groundswell.sinks.sink import APPEND, Sink, SinkProgress, SinkStart

if TYPE_CHECKING:
    import pyarrow as pa

UPSERT, UPDATE = "upsert", "update"
_READS_AS_WRITTEN = (
    "SET timezone = 'UTC'; SET datestyle = 'ISO, YMD'; SET intervalstyle = 'postgres'"
)
"""Settings of roles, databases and servers would have texts mean other times."""


class PostgresSink(Sink):
    """Keeps a table of PostgreSQL equal to a view, or some columns of it."""

    OPTIONS = (
        SinkOption(
            "table", "name of the table, perhaps with its schema: `public.top`", required=True
        ),
        SinkOption("dsn", "connection string or URL of libpq; single options below go before it"),
        SinkOption("host", "host name or address of the server"),
        SinkOption("port", "port of the server", int),
        SinkOption("database", "name of the database"),
        SinkOption("user", "name of the role"),
        SinkOption("password", "password of the role", secret=True),
        SinkOption(
            "mode",
            "upsert: inserts, updates and deletes rows; update: only changes rows that others "
            "insert; append: only inserts, and needs no key, but a view that only grows",
            choices=(UPSERT, UPDATE, APPEND),
        ),
        SinkOption(
            "columns", "the columns of the view to write, the key apart; default: all", list, ()
        ),
        SinkOption(
            "on_delete",
            "what becomes of a row that leaves the view: delete, null (its written columns "
            "become null) or keep; default: delete, in mode update: null",
            choices=("delete", "null", "keep"),
        ),
        SinkOption("create_table", "makes the table if it is not there", bool, False),
        NARROWING,
    )

    def __init__(self, options: SinkOptions) -> None:
        self._options = options
        self._connection: Any = None

    def open(self, start: SinkStart) -> None:
        """Connects, and checks table, columns, key and privileges."""
        self._start = start
        self._mode = start.mode(self._options["mode"], UPSERT)
        self._key: Sequence[str] = () if self._mode == APPEND else start.key
        self._columns = self._chosen(start)
        self._on_delete = self._options["on_delete"] or (
            "null" if self._mode == UPDATE else "delete"
        )
        self._connection = self._connect()
        fields = {f.name: f for f in start.schema.fields}
        columns = [
            Column(
                fields[name], pg_type(fields[name].dataType, f"column {name} of view {start.view}")
            )
            for name in self._columns
        ]
        with self._errors(), self._connection.transaction():
            target = Target(self._connection, self._options["table"], start.name)
            if self._options["create_table"]:
                target.create(columns, self._key)
            self._narrowing = Narrowing(self._options["narrowing"])
            target.check(columns, self._key, self._mode, self._on_delete, self._narrowing)
            target.create_progress()
        self._target = target
        self._prepare()

    def _chosen(self, start: SinkStart) -> list[str]:
        asked = self._options["columns"]
        missing = [name for name in asked if name not in start.columns]
        if missing:
            raise SinkError(
                f"option columns names {', '.join(missing)}, which view {start.view} does not "
                f"have; its columns are {', '.join(start.columns)}"
            )
        return [c for c in start.columns if not asked or c in asked or c in self._key]

    def _connect(self) -> Any:
        psycopg = optional("psycopg", "postgres")
        given = {
            libpq: self._options[name]
            for name, libpq in (
                ("host", "host"),
                ("port", "port"),
                ("database", "dbname"),
                ("user", "user"),
                ("password", "password"),
            )
            if self._options.given(name)
        }
        patience = {"connect_timeout": 10, "keepalives_idle": 15, "tcp_user_timeout": 30_000}
        try:
            made = psycopg.connect(
                self._options["dsn"] or "",
                autocommit=True,
                application_name=f"groundswell sink {self._start.name}",
                **{**patience, **given, "client_encoding": "UTF8"},
            )
            made.execute(_READS_AS_WRITTEN)
            return made
        except psycopg.OperationalError as e:
            text = str(e).strip()
            refused = any(f"{word}" in text for word in _REFUSED)
            if refused:
                raise SinkError(f"PostgreSQL does not let us in: {text}") from None
            raise SinkUnavailable(f"PostgreSQL cannot be reached: {text}") from None
        except psycopg.Error as e:
            raise SinkError(
                f"libpq cannot read the options of this sink ({type(e).__name__}); what it says "
                "is not shown, for it may repeat a password"
            ) from None

    def _prepare(self) -> None:
        """Makes the temporary tables that an epoch is copied to."""
        table = self._target.name
        listed = ", ".join(map(quoted, self._columns))
        keys = ", ".join(map(quoted, self._key))
        with self._errors():
            self._connection.execute(
                f"CREATE TEMP TABLE gs_rows ON COMMIT DELETE ROWS AS SELECT {listed} FROM {table} "
                "WITH NO DATA"
            )
            if self._key:
                self._connection.execute(
                    f"CREATE TEMP TABLE gs_gone ON COMMIT DELETE ROWS AS SELECT {keys} "
                    f"FROM {table} WITH NO DATA"
                )

    def recover(self) -> SinkProgress | None:
        """The last epoch that was committed."""
        with self._errors():
            found = self._connection.execute(
                f"SELECT token, epoch FROM {self._target.progress} WHERE sink = %s",
                [self._start.id],
            ).fetchone()
        return None if found is None else SinkProgress(*found)

    def write(self, epoch: int, changes: Changes) -> None:
        """Writes the epoch in a transaction that stays open."""
        if self._mode == APPEND:
            rows, gone = changes.inserts(), None
        else:
            rows, gone = changes.net(self._key)
            self._narrowing.check(gone.select(list(self._key)), self._key)
        self._narrowing.check(rows, self._key)
        with self._errors():
            self._connection.execute("ROLLBACK")
            self._connection.execute("BEGIN")
            self._lock()
            # first: a new row may have what a deleted one had in another unique column
            if gone is not None and gone.num_rows and self._on_delete != "keep":
                self._copy("gs_gone", gone.select(list(self._key)))
                self._connection.execute(self._deleting())
            if rows.num_rows:
                self._copy("gs_rows", rows.select(self._columns))
                self._connection.execute(self._merging())

    def _lock(self) -> None:
        progress = self._target.progress
        self._connection.execute(
            f"INSERT INTO {progress} (sink, name, token, epoch) VALUES (%s, %s, %s, -1) "
            "ON CONFLICT (sink) DO NOTHING",
            [self._start.id, self._start.name, self._start.token],
        )
        found = self._connection.execute(
            f"SELECT token, epoch FROM {progress} WHERE sink = %s FOR UPDATE", [self._start.id]
        ).fetchone()
        self._start.check_owner(SinkProgress(*found))

    def _copy(self, table: str, rows: pa.Table) -> None:
        listed = ", ".join(map(quoted, rows.column_names))
        with self._connection.cursor().copy(
            f"COPY {table} ({listed}) FROM STDIN (FORMAT csv)"
        ) as copy:
            for block in as_csv(rows):
                copy.write(block)

    def _merging(self) -> str:
        table, listed = self._target.name, ", ".join(map(quoted, self._columns))
        values = [quoted(c) for c in self._columns if c not in self._key]
        if self._mode == UPDATE:
            setting = ", ".join(f"{c} = gs_rows.{c}" for c in values)
            return (
                f"UPDATE {table} AS t SET {setting} FROM gs_rows WHERE {self._matching('gs_rows')}"
            )
        insert = f"INSERT INTO {table} ({listed}) SELECT {listed} FROM gs_rows"
        if self._mode == APPEND:
            return insert
        keys = ", ".join(map(quoted, self._key))
        setting = ", ".join(f"{c} = EXCLUDED.{c}" for c in values)
        return f"{insert} ON CONFLICT ({keys}) DO " + (
            f"UPDATE SET {setting}" if values else "NOTHING"
        )

    def _deleting(self) -> str:
        table = self._target.name
        if self._on_delete == "delete":
            return f"DELETE FROM {table} AS t USING gs_gone WHERE {self._matching('gs_gone')}"
        values = [quoted(c) for c in self._columns if c not in self._key]
        setting = ", ".join(f"{c} = NULL" for c in values)
        return f"UPDATE {table} AS t SET {setting} FROM gs_gone WHERE {self._matching('gs_gone')}"

    def _matching(self, other: str) -> str:
        return " AND ".join(f"t.{c} = {other}.{c}" for c in map(quoted, self._key))

    def commit(self, epoch: int) -> None:
        """Commits rows and number together."""
        with self._errors():
            self._connection.execute(
                f"UPDATE {self._target.progress} SET token = %s, epoch = %s, at = now() "
                "WHERE sink = %s",
                [self._start.token, epoch, self._start.id],
            )
            self._connection.execute("COMMIT")

    def close(self) -> None:
        """Closes the connection; an open transaction is rolled back."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                connection.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        psycopg = optional("psycopg", "postgres")
        try:
            yield
        except GroundswellError:
            raise
        except psycopg.Error as e:
            state, text = e.sqlstate or "", _told(e)
            where = f"PostgreSQL, table {self._options['table']}"
            if sqlstate.passes(state) or (not state and isinstance(e, psycopg.OperationalError)):
                raise SinkUnavailable(f"{where}: {text} (SQLSTATE {state or 'none'})") from None
            kind = SinkRowRefused if sqlstate.of_a_value(state) else SinkError
            raise kind(f"{where}: {text} (SQLSTATE {state or 'none'})") from None


def _told(error: Any) -> str:
    """What the server says, in one line, with the column if it knows one."""
    said = error.diag
    if not said.message_primary:  # it comes from the client
        return " ".join(str(error).split())
    parts = [said.message_primary]
    in_copy = _COLUMN.search(said.context or "")
    column = said.column_name or (in_copy and in_copy[1])
    if column and f'"{column}"' not in said.message_primary:
        parts.append(f"column {column}")
    if said.message_detail:
        parts.append(said.message_detail.rstrip("."))
    return "; ".join(" ".join(part.split()) for part in parts)


_COLUMN = re.compile(r"^COPY .* line \d+, column ([^:\n]+)", re.MULTILINE)
_REFUSED = (
    "password authentication failed",
    "authentication failed",
    "no password supplied",
    "does not exist",
    "no pg_hba.conf entry",
    "not permitted to log in",
)
