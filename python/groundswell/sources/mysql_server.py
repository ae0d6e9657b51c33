"""What a pipeline asks of a MySQL or MariaDB server before it reads: settings, tables, binlog."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import types as t

from groundswell.errors import SourceError, SourceLost
from groundswell.sinks.extras import optional
from groundswell.sinks.options import mask_text
from groundswell.sources.mysql_gtid import MARIADB, MYSQL, Position
from groundswell.sources.mysql_types import CHARSETS, Column, quoted
from groundswell.sources.new_columns import STOP
from groundswell.sources.patience import Patience
from groundswell.sources.tagged import tagged_schema

_AGAIN = (1040, 1053, 1158, 1159, 1160, 1161, 1205, 1213, 1927, 2002, 2003, 2006, 2013, 2055)
"""Errors that pass: connections, shutdowns, networks, locks."""
_LOST = 1236
_RIGHTS = (1044, 1045, 1142, 1227, 1698)
_SETTINGS = {
    "log_bin": ("1", "log-bin"),
    "binlog_format": ("ROW", "binlog_format=ROW"),
    "binlog_row_image": ("FULL", "binlog_row_image=FULL"),
    "binlog_row_metadata": ("FULL", "binlog_row_metadata=FULL"),
}
SILENT = 60
"""Seconds without an event that is to come, after which the connection is made again."""
_HEARTBEAT = 0.2
"""Seconds after which a server that has nothing to send says so."""
_OFF = ("log_bin_compress", "binlog_transaction_compression")


@dataclass(frozen=True)
class MyTable:
    """A table as it is read.

    Attributes:
        schema: the database that it is in.
        name: of it.
        fields: its columns, in order.
        key: names of the columns of its primary key.
        source: what the checkpoint calls it.
    """

    schema: str
    name: str
    fields: tuple[Column, ...]
    key: tuple[str, ...]
    source: str

    @property
    def qualified(self) -> str:
        """Its name in SQL."""
        return f"{quoted(self.schema)}.{quoted(self.name)}"

    @property
    def columns(self) -> tuple[tuple[str, t.DataType], ...]:
        """Names and Spark's types."""
        return tuple((c.name, c.type) for c in self.fields if c.type is not None)

    @property
    def doubtful(self) -> frozenset[str]:
        """Names of the columns that may have values which Spark's type does not hold."""
        return frozenset(c.name for c in self.fields if c.name in self.key and c.is_doubtful_key)


@dataclass(frozen=True)
class MyPlan:
    """All that reads a set of tables; goes to the processes that read.

    Attributes:
        parameters: of the connection, as PyMySQL takes them, without the password.
        tables: that are read.
        flavor: ``mariadb`` or ``mysql``.
        max_rows: after so many changes a barrier ends, at the end of a transaction.
        retry_seconds: how long the server may be away.
        truncate: ``error`` or ``ignore``.
        new_columns: one of :data:`~groundswell.sources.new_columns.OF_SERVERS`.
        seen: the server's position when the tables were looked at.
        password: shown nowhere.
    """

    parameters: Mapping[str, Any]
    tables: tuple[MyTable, ...] = ()
    flavor: str = MARIADB
    max_rows: int = 100_000
    retry_seconds: float = 300
    truncate: str = "error"
    new_columns: str = STOP
    seen: str = ""
    password: str = field(default="", repr=False)

    @property
    def schema(self) -> t.StructType:
        """Of the tagged rows."""
        return tagged_schema(self.tables)

    @property
    def settings(self) -> dict[str, Any]:
        """What PyMySQL connects with."""
        secret = {"password": self.password} if self.password else {}
        return {"charset": "utf8mb4", "connect_timeout": 10, **self.parameters, **secret}


def connected(plan: MyPlan, **more: Any) -> Any:
    """A connection whose times are of UTC."""
    pymysql = optional("pymysql", "mysql")
    connection = pymysql.connect(**plan.settings, autocommit=True, **more)
    with connection.cursor() as cursor:
        cursor.execute("SET time_zone = '+00:00', sql_mode = ''")
    return connection


def rows_of(connection: Any, query: str, given: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """What a query gives."""
    with connection.cursor() as cursor:
        cursor.execute(query, given or None)
        return list(cursor.fetchall())


def code_of(error: BaseException) -> int:
    """The server's or the client's number of an error; 0: none."""
    code = error.args[0] if error.args else 0
    return code if isinstance(code, int) else 0


def passes(error: BaseException) -> bool:
    """Whether it is worth to try again."""
    return code_of(error) in _AGAIN or isinstance(error, ConnectionError | TimeoutError)


def text_of(error: BaseException) -> str:
    """What the server said, without passwords."""
    text = str(error.args[1]) if len(error.args) > 1 else str(error)
    return mask_text(" ".join(text.split()))[:400]


def refused(error: BaseException) -> SourceError:
    """The error of ours for one that does not pass."""
    code, text = code_of(error), text_of(error)
    if code == _LOST:
        return SourceLost(
            f"the server has given up changes that this pipeline has not read yet: {text}. Start "
            "at a new location, which begins with a snapshot. A larger binlog_expire_logs_seconds "
            "(expire_logs_days) keeps the binlog for a pipeline that rests"
        )
    if code in _RIGHTS:
        return SourceError(
            f"the server refuses the user: {text}. GRANT SELECT, REPLICATION SLAVE, REPLICATION "
            "CLIENT ON *.* TO the user of the pipeline"
        )
    return SourceError(f"the server refuses to be read: {text} (error {code})")


def patience_of(seconds: float) -> Patience:
    """How long the server may be away."""
    return Patience(seconds, "the MySQL server", passes, refused, text_of)


@contextmanager
def named_errors() -> Iterator[None]:
    """Errors of the server as ours."""
    errors = optional("pymysql.err", "mysql")
    try:
        yield
    except errors.MySQLError as e:
        raise refused(e) from None


def position_of(connection: Any, flavor: str) -> Position:
    """The last transactions in the server's binlog."""
    name = "@@global.gtid_binlog_pos" if flavor == MARIADB else "@@global.gtid_executed"
    ((text,),) = rows_of(connection, f"SELECT {name}")
    return Position.parse(flavor, text or "")


def inspect(wanted: MyPlan, tables: Sequence[str], made: Callable[..., MyPlan]) -> MyPlan:
    """Connects, checks all that reading needs, and finds the tables' columns. Writes nothing.

    Args:
        wanted: with what connects.
        tables: their names.
        made: the plan of flavor, tables and position.

    Raises:
        SourceError: with what is missing, and the setting or statement that helps.
    """
    errors = optional("pymysql.err", "mysql")
    optional("pymysqlreplication", "mysql")
    try:
        connection = connected(wanted)
    except errors.OperationalError as e:
        if code_of(e) in _RIGHTS:
            raise refused(e) from None
        raise SourceError(f"the MySQL server cannot be read: {text_of(e)}") from None
    with closing(connection), named_errors():
        flavor = _check_server(connection)
        seen = position_of(connection, flavor)
        found = tuple(
            _table(connection, name, wanted.parameters.get("database")) for name in tables
        )
        names = [table.source.lower() for table in found]
        if doubles := sorted({n for n in names if names.count(n) > 1}):
            raise SourceError(f"two of the tables would both be called {', '.join(doubles)}")
        plan = made(flavor, found, seen.text)
        _check_binlog(plan, seen)
        return plan


def _check_server(connection: Any) -> str:
    variables = {k.lower(): str(v) for k, v in rows_of(connection, "SHOW GLOBAL VARIABLES")}
    flavor = MARIADB if "mariadb" in variables["version"].lower() else MYSQL
    for name, (needed, setting) in _SETTINGS.items():
        value = variables.get(name, "missing")
        if {"ON": "1", "OFF": "0"}.get(value.upper(), value.upper()) != needed:
            raise SourceError(
                f"{name} of the server is {value}, and reading changes needs {setting}: set it in "
                "the section [mysqld] of its configuration, and restart the server. Sessions that "
                "are open keep the value that they have"
            )
    if flavor == MYSQL and variables.get("gtid_mode", "OFF").upper() != "ON":
        raise SourceError(
            f"gtid_mode of the server is {variables.get('gtid_mode', 'OFF')}, and reading changes "
            "needs gtid_mode=ON and enforce_gtid_consistency=ON"
        )
    for name in _OFF:
        if variables.get(name, "OFF").upper() == "ON":
            raise SourceError(
                f"{name} of the server is ON, and compressed changes are not read here: SET GLOBAL "
                f"{name} = OFF"
            )
    return flavor


def _check_binlog(plan: MyPlan, seen: Position) -> None:
    """Asks for the binlog once, so that a missing privilege is named before anything is written."""
    events = optional("pymysqlreplication.event", "mysql")
    with closing(stream_of(plan, seen, events.RotateEvent)) as stream:
        stream.fetchone()  # the first event says which file it is, and comes at once


def stream_of(plan: MyPlan, after: Position, *more: Any) -> Any:
    """The events of the binlog behind a position; at its end it waits for more.

    Each stream is a replica of its own, with a number of its own: the server ends the older one of
    two that have the same. A server sees that a replica is gone when it sends something for the
    second time. So it sends heartbeats: a quiet one kept all connections of a backlog's barriers,
    until there were too many.

    Args:
        plan: what reads it.
        after: the position.
        more: kinds of events beside those that are needed.
    """
    replication = optional("pymysqlreplication", "mysql")
    events = optional("pymysqlreplication.event", "mysql")
    rows = optional("pymysqlreplication.row_event", "mysql")
    pymysql = optional("pymysql", "mysql")
    names = {table.name for table in plan.tables}
    made: list[Any] = []

    def connect(**settings: Any) -> Any:
        if len(made) == 2:  # it would begin again where it began
            raise pymysql.OperationalError(2013, "the connection to the binlog was lost")
        made.append(pymysql.connect(**settings))
        return made[-1]

    return replication.BinLogStreamReader(
        connection_settings={"read_timeout": SILENT, **plan.settings},
        server_id=(1 << 30) + secrets.randbelow(1 << 30),
        blocking=True,
        slave_heartbeat=_HEARTBEAT,
        auto_position=after.text,
        is_mariadb=plan.flavor == MARIADB,
        only_events=[
            events.GtidEvent,
            events.MariadbGtidEvent,
            events.QueryEvent,
            events.XidEvent,
            events.NotImplementedEvent,
            events.XAPrepareEvent,
            events.HeartbeatLogEvent,
            rows.WriteRowsEvent,
            rows.UpdateRowsEvent,
            rows.DeleteRowsEvent,
            rows.TableMapEvent,
            *more,
        ],
        only_tables=sorted(names),
        only_schemas=sorted({table.schema for table in plan.tables}),
        pymysql_wrapper=connect,
        enable_logging=False,
    )


def _table(connection: Any, given: str, database: str | None) -> MyTable:
    schema, _, name = given.rpartition(".")
    schema = schema or database or ""
    if not schema:
        raise SourceError(f"table {given!r} lacks its database: write it as database.table")
    found = rows_of(
        connection,
        "SELECT table_schema, table_name, table_type, engine FROM information_schema.tables "
        "WHERE table_schema = %s AND table_name = %s",
        [schema, name],
    )
    if not found:
        known = rows_of(
            connection,
            "SELECT concat(table_schema, '.', table_name) FROM information_schema.tables WHERE "
            "table_type = 'BASE TABLE' AND table_schema NOT IN ('mysql', 'sys', "
            "'performance_schema', 'information_schema') ORDER BY 1 LIMIT 20",
        )
        there = ", ".join(each for (each,) in known) or "none"
        raise SourceError(f"there is no table {given!r} that the user sees; there are {there}")
    schema, name, kind, engine = found[0]
    full = f"{quoted(schema)}.{quoted(name)}"
    if kind != "BASE TABLE":
        raise SourceError(f"{given!r} is a {kind.lower()}, and only tables have changes to be read")
    if engine != "InnoDB":
        raise SourceError(
            f"table {given} has the engine {engine}, which has no snapshots: ALTER TABLE {full} "
            "ENGINE=InnoDB"
        )
    fields = tuple(_column(given, *row) for row in _columns(connection, schema, name))
    key = rows_of(
        connection,
        "SELECT column_name FROM information_schema.key_column_usage WHERE table_schema = %s AND "
        "table_name = %s AND constraint_name = 'PRIMARY' ORDER BY ordinal_position",
        [schema, name],
    )
    if not key:
        raise SourceError(
            f"table {given} has no primary key, so its changes do not say which row they change: "
            f"ALTER TABLE {full} ADD PRIMARY KEY (...)"
        )
    source = re.sub(r"[^A-Za-z0-9_]", "_", name if schema == database else f"{schema}_{name}")
    return MyTable(schema, name, fields, tuple(k for (k,) in key), source)


def _columns(connection: Any, schema: str, name: str) -> list[tuple[Any, ...]]:
    return rows_of(
        connection,
        "SELECT column_name, lower(data_type), lower(column_type), numeric_precision, "
        "numeric_scale, datetime_precision, character_octet_length, is_nullable, column_default, "
        "lower(extra), lower(character_set_name) FROM information_schema.columns "
        "WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position",
        [schema, name],
    )


def _column(
    table: str,
    name: str,
    kind: str,
    full: str,
    precision: int | None,
    scale: int | None,
    fraction: int | None,
    length: int | None,
    nullable: str,
    default: str | None,
    extra: str,
    charset: str | None,
) -> Column:
    made = Column(
        name,
        kind,
        "unsigned" in full,
        int(precision or 0),
        int(fraction or 0) if kind in ("time", "datetime", "timestamp") else int(scale or 0),
        int(precision or 1) if kind == "bit" else int(length or 0),
        nullable == "YES" and default in (None, "NULL"),
    )
    if made.type is None:
        raise SourceError(
            f"column {name} of table {table} is of type {full}, which cannot be read here. Read "
            "another table that has not got it, kept by a trigger"
        )
    if charset is not None and charset not in CHARSETS:
        raise SourceError(
            f"column {name} of table {table} has the character set {charset}, of which the binlog "
            f"may be read otherwise than the server reads it. Convert it: ALTER TABLE {table} "
            f"MODIFY {quoted(name)} {full} CHARACTER SET utf8mb4"
        )
    if "generated" in extra and "default_generated" not in extra:
        raise SourceError(
            f"column {name} of table {table} is generated, and cannot be read here. Compute it in "
            "the view, and drop it at the server"
        )
    return made
