"""What a pipeline asks of a PostgreSQL server before it reads: connection, tables, slot."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import types as t

from groundswell import sqlstate
from groundswell.errors import ConfigurationError, SourceError
from groundswell.sinks.dsn import MASK, checked, secrets_of
from groundswell.sinks.extras import optional
from groundswell.sinks.options import mask_text
from groundswell.sources.new_columns import STOP
from groundswell.sources.patience import Patience
from groundswell.sources.postgres_types import is_doubtful, spark_type
from groundswell.sources.tagged import tagged_schema

IN_USE = "55006"
_SETTINGS = (
    "SET datestyle = 'ISO, YMD'; SET timezone = 'UTC'; SET extra_float_digits = 3; "
    "SET bytea_output = 'hex'; SET intervalstyle = 'postgres'"
)


@dataclass(frozen=True)
class PgTable:
    """A table as it is read.

    Attributes:
        columns: names and types, in order; without generated ones.
        key: names of the columns of its primary key.
        source: what the checkpoint calls it.
        oids: of the columns' types.
        modifiers: of the columns, as precision and scale of a numeric.
        oid: of the table.
        missing: of each column the text that rows have which were there before it; None: null.
    """

    schema: str
    name: str
    columns: tuple[tuple[str, t.DataType], ...]
    key: tuple[str, ...]
    source: str
    oids: tuple[int, ...] = ()
    modifiers: tuple[int, ...] = ()
    oid: int = 0
    missing: tuple[str | None, ...] = ()

    @property
    def qualified(self) -> str:
        """Its name in SQL."""
        return f"{quoted(self.schema)}.{quoted(self.name)}"

    @property
    def doubtful(self) -> frozenset[str]:
        """Names of the columns that may have values which Spark's type does not hold."""
        return frozenset(name for name, type_ in self.columns if is_doubtful(type_))


_CHILDREN = (
    "(SELECT string_agg(i.inhrelid::regclass::text, ', ') FROM pg_inherits i "
    "WHERE i.inhparent = c.oid AND c.relkind = 'r')"
)
_PARTS = (
    "(SELECT string_agg(relid::oid::text, ' ' ORDER BY relid::oid) FROM pg_partition_tree(c.oid) "
    "WHERE isleaf AND level > 0)"
)
"""Of a table c: those that inherit from it, and the partitions of it that have rows."""


@dataclass(frozen=True)
class PgPlan:
    """All that reads a set of tables; goes to the processes that read.

    Attributes:
        parameters: of the connection, without the password.
        password: as it was found; shown nowhere.
        max_rows: after so many changes a barrier ends, at the end of a transaction.
        retry_seconds: how long a server may be away.
        truncate: ``error`` or ``ignore``.
        infinity: ``null``, ``bounds`` or ``error``.
        new_columns: one of :data:`~groundswell.sources.new_columns.OF_SERVERS`.
        seen: where the server's log ended when the tables were looked at.
    """

    parameters: Mapping[str, str]
    tables: tuple[PgTable, ...]
    slot: str
    publication: str
    max_rows: int
    retry_seconds: float
    truncate: str
    password: str = field(default="", repr=False)
    infinity: str = "null"
    new_columns: str = STOP
    seen: int = 0

    @property
    def schema(self) -> t.StructType:
        """Of the tagged rows: the number of the table, and a struct for each table."""
        return tagged_schema(self.tables)


def quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def lsn_of(text: str) -> int:
    """``1A/2B`` as a number."""
    high, low = text.split("/")
    return (int(high, 16) << 32) + int(low, 16)


def lsn_text(lsn: int) -> str:
    """A number as ``1A/2B``."""
    return f"{lsn >> 32:X}/{lsn & 0xFFFFFFFF:X}"


def connect(parameters: Mapping[str, Any], dsn: str = "", **more: Any) -> Any:
    """A connection that writes values as we read them.

    Raises:
        psycopg.OperationalError: the server is away, or lets us not in.
    """
    psycopg = optional("psycopg", "postgres")
    given = {"connect_timeout": 10, "application_name": "groundswell source", **parameters, **more}
    given["client_encoding"] = "UTF8"
    connection = psycopg.connect(dsn, autocommit=True, **given)
    if "replication" not in more:
        connection.execute(_SETTINGS)
    return connection


def connected(plan: PgPlan, **more: Any) -> Any:
    """A connection for a plan."""
    secret = {"password": plan.password} if plan.password else {}
    return connect({**plan.parameters, **secret}, **more)


def passes(error: Any) -> bool:
    """Whether it is worth to try again."""
    psycopg = optional("psycopg", "postgres")
    state = error.sqlstate or ""
    away = not state and isinstance(error, psycopg.OperationalError)
    return away or state == IN_USE or sqlstate.passes(state)


def text_of(error: BaseException, secrets: Sequence[str] = ()) -> str:
    """What PostgreSQL said, without passwords.

    Args:
        error: of psycopg.
        secrets: of the connection; they may be in the text.
    """
    text = " ".join(str(error).split())
    for secret in secrets:
        text = text.replace(secret, MASK)
    return mask_text(text)


def patience_of(seconds: float) -> Patience:
    """How long the server may be away."""
    return Patience(seconds, "PostgreSQL", passes, lambda e: SourceError(refused(e)), text_of)


def refused(error: Any) -> str:
    """The sentence for an error that does not pass."""
    state, text = error.sqlstate or "none", text_of(error)
    if state == "42704" and "slot" in text:
        return (
            f"{text}: the server has given up the changes that this pipeline has not read yet. "
            "Start at a new location, which begins with a snapshot"
        )
    if state == "55000" and "slot" in text:
        return (
            f"{text}. The slot was invalidated, perhaps by max_slot_wal_keep_size. Drop it, and "
            "start at a new location, which begins with a snapshot"
        )
    return f"PostgreSQL refuses to be read: {text} (SQLSTATE {state})"


@contextmanager
def _named(psycopg: Any) -> Iterator[None]:
    try:
        yield
    except psycopg.Error as e:
        raise SourceError(refused(e)) from None


def inspect(
    dsn: str,
    password: str | None,
    tables: Sequence[str],
    slot: str,
    publication: str,
    plan: Callable[..., PgPlan],
) -> PgPlan:
    """Connects, checks all that reading needs, and finds the tables' columns. Writes nothing.

    Raises:
        SourceError: with what is missing, and the statement that helps.
    """
    try:
        checked("PostgreSQL cannot be read", dsn)
    except ConfigurationError as e:
        raise SourceError(str(e)) from None
    psycopg = optional("psycopg", "postgres")
    try:
        secrets = [*secrets_of(dsn), *([password] if password else [])]
        connection = connect({"password": password} if password else {}, dsn)
    except psycopg.OperationalError as e:
        raise SourceError(f"PostgreSQL cannot be read: {text_of(e, secrets)}") from None
    except psycopg.Error as e:
        raise SourceError(
            f"PostgreSQL cannot be read: libpq cannot read the dsn ({type(e).__name__}); what it "
            "says is not shown, for it may repeat a password"
        ) from None
    with connection, _named(psycopg):
        _check_server(connection, slot)
        (seen,) = connection.execute(
            "SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() "
            "ELSE pg_current_wal_lsn() END)::text"
        ).fetchone()
        found = tuple(_table(connection, name) for name in tables)
        _check_publication(connection, publication, found)
        parameters = connection.info.get_parameters()
        parameters.pop("application_name", None)
        return plan(parameters, _distinct(found), connection.info.password, lsn_of(seen))


def _check_server(connection: Any, slot: str) -> None:
    (level,) = connection.execute("SHOW wal_level").fetchone()
    if level != "logical":
        raise SourceError(
            f"wal_level of the server is {level}, and reading changes needs logical: set "
            "wal_level = logical in postgresql.conf, and restart the server"
        )
    (role, may) = connection.execute(
        "SELECT current_user, rolsuper OR rolreplication FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    if not may:
        raise SourceError(
            f"role {role} may not read changes: ALTER ROLE {quoted(role)} REPLICATION, as a "
            "superuser"
        )
    taken, most, ours = connection.execute(
        "SELECT count(*), current_setting('max_replication_slots')::int, "
        "coalesce(bool_or(slot_name = %s), false) FROM pg_replication_slots",
        [slot],
    ).fetchone()
    if not ours and taken >= most:
        raise SourceError(
            f"no replication slot is free: {taken} of max_replication_slots = {most} are taken. "
            "Drop one without a reader (SELECT * FROM pg_replication_slots), or set more"
        )


def _table(connection: Any, given: str) -> PgTable:
    parts = given.split(".")
    schema, name = parts if len(parts) == 2 else (None, given)
    rows = connection.execute(
        "SELECT c.oid, n.nspname, c.relname, c.relkind, "
        f"has_table_privilege(c.oid, 'SELECT'), current_user, {_CHILDREN} "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.relname = %s AND CASE WHEN %s::text IS NULL THEN pg_table_is_visible(c.oid) "
        "ELSE n.nspname = %s END",
        [name, schema, schema],
    ).fetchall()
    if not rows:
        known = connection.execute(
            "SELECT n.nspname || '.' || c.relname FROM pg_class c "
            "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p') "
            "AND n.nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1 LIMIT 20"
        ).fetchall()
        there = ", ".join(r[0] for r in known) or "none"
        raise SourceError(f"there is no table {given!r} that the role sees; there are {there}")
    oid, schema, name, kind, readable, role, children = rows[0]
    if kind not in ("r", "p"):
        raise SourceError(f"{given!r} is not a table: only tables have changes to be read")
    _check_children(name, children)
    full = f"{quoted(schema)}.{quoted(name)}"
    if not readable:
        raise SourceError(
            f"role {role} may not read table {given}: GRANT SELECT ON {full} TO {quoted(role)}"
        )
    columns = connection.execute(
        "SELECT a.attname, b.typname, CASE WHEN y.typbasetype <> 0 THEN y.typtypmod "
        "ELSE a.atttypmod END, e.typname, a.atttypid::bigint, a.atttypmod, "
        "(a.attmissingval::text::text[])[1] "
        "FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid "
        "JOIN pg_type b ON b.oid = CASE WHEN y.typbasetype <> 0 THEN y.typbasetype ELSE y.oid END "
        "LEFT JOIN pg_type e ON e.typarray = b.oid AND e.typdelim = ',' "
        "WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' "
        "ORDER BY a.attnum",
        [oid],
    ).fetchall()
    key = connection.execute(
        "SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid "
        "AND a.attnum = ANY (i.indkey) WHERE i.indrelid = %s AND i.indisprimary "
        "ORDER BY array_position(i.indkey::int2[], a.attnum)",
        [oid],
    ).fetchall()
    if not key:
        raise SourceError(
            f"table {given} has no primary key, so its changes do not say which row they change: "
            f"ALTER TABLE {full} ADD PRIMARY KEY (...)"
        )
    (identity,) = connection.execute(
        "SELECT relreplident FROM pg_class WHERE oid = %s", [oid]
    ).fetchone()
    if identity not in ("d", "f"):
        raise SourceError(
            f"table {given} has a replica identity without its primary key: ALTER TABLE {full} "
            "REPLICA IDENTITY DEFAULT (or FULL)"
        )
    plain = schema == "public" or len(parts) == 1
    source = re.sub(r"[^A-Za-z0-9_]", "_", name if plain else f"{schema}_{name}")
    types = tuple((n, spark_type(base, mod, element)) for n, base, mod, element, *_ in columns)
    return PgTable(
        schema,
        name,
        types,
        tuple(k for (k,) in key),
        source,
        tuple(c[4] for c in columns),
        tuple(c[5] for c in columns),
        int(oid),
        tuple(c[6] for c in columns),
    )


def _distinct(tables: tuple[PgTable, ...]) -> tuple[PgTable, ...]:
    names = [table.source.lower() for table in tables]
    doubles = sorted({n for n in names if names.count(n) > 1})
    if doubles:
        raise SourceError(f"two of the tables would both be called {', '.join(doubles)}")
    return tables


def _check_publication(connection: Any, name: str, tables: Sequence[PgTable]) -> None:
    """An existing one must have the tables; one that is to be made needs their owner."""
    found = connection.execute(
        "SELECT pubinsert AND pubupdate AND pubdelete AND pubtruncate FROM pg_publication "
        "WHERE pubname = %s",
        [name],
    ).fetchone()
    if found is None:
        for table in tables:
            (may, role) = connection.execute(
                "SELECT pg_has_role(relowner, 'USAGE') AND has_database_privilege("
                "current_database(), 'CREATE'), current_user FROM pg_class "
                "WHERE oid = %s::regclass",
                [table.qualified],
            ).fetchone()
            if not may:
                listed = ", ".join(each.qualified for each in tables)
                raise SourceError(
                    f"role {role} may not make the publication {name}, for it does not own "
                    f"{table.qualified} or may not create in the database. As the owner: CREATE "
                    f"PUBLICATION {quoted(name)} FOR TABLE {listed} "
                    "WITH (publish_via_partition_root = true)"
                )
        return
    if not found[0]:
        raise SourceError(
            f"publication {name} leaves out some kinds of changes: ALTER PUBLICATION "
            f"{quoted(name)} SET (publish = 'insert, update, delete, truncate')"
        )
    has = set(
        connection.execute(
            "SELECT schemaname, tablename FROM pg_publication_tables WHERE pubname = %s", [name]
        ).fetchall()
    )
    missing = [table.qualified for table in tables if (table.schema, table.name) not in has]
    if missing:
        raise SourceError(
            f"publication {name} does not have {', '.join(missing)}: ALTER PUBLICATION "
            f"{quoted(name)} ADD TABLE {', '.join(missing)}"
        )


def check_there(connection: Any, plan: PgPlan, passed: str | None, had: str = "") -> str:
    """What is read must still be there: of a table that is gone no change would ever come.

    Args:
        connection: to the server.
        plan: what is read.
        passed: the slot may not be further on than this position.
        had: the partitions that the tables had there.

    Returns:
        The partitions that they have now, by their numbers at the server; none: empty.

    Raises:
        SourceError: a table is gone or in the publication no more, or the slot has let changes go;
            or rows came or went with a table that is a part of one.
    """
    names = [[t.schema for t in plan.tables], [t.name for t in plan.tables]]
    found = connection.execute(
        "SELECT c.oid::bigint, EXISTS (SELECT 1 FROM pg_publication_tables p WHERE p.pubname = %s "
        f"AND p.schemaname = t.s AND p.tablename = t.n), {_CHILDREN}, {_PARTS} "
        "FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY t(s, n, i) "
        "LEFT JOIN pg_namespace ns ON ns.nspname = t.s "
        "LEFT JOIN pg_class c ON c.relnamespace = ns.oid AND c.relname = t.n ORDER BY t.i",
        [plan.publication, *names],
    ).fetchall()
    for table, (oid, published, children, _) in zip(plan.tables, found, strict=True):
        if oid != table.oid:
            what = "was dropped or renamed" if oid is None else "was dropped, and recreated"
            raise SourceError(
                f"table {table.qualified} {what}: its views stay as they were at the last epoch. "
                "Start at a new location without it, or with the table as it is now"
            )
        if not published:
            raise SourceError(
                f"publication {plan.publication} does not have {table.qualified} any more, so its "
                "changes are not sent, and those of the time between would be missing: ALTER "
                f"PUBLICATION {quoted(plan.publication)} ADD TABLE {table.qualified}, and start "
                "at a new location"
            )
        _check_children(table.name, children)
    ahead = connection.execute(
        "SELECT confirmed_flush_lsn::text FROM pg_replication_slots "
        "WHERE slot_name = %s AND confirmed_flush_lsn > %s::pg_lsn",
        [plan.slot, passed],
    ).fetchone()
    if ahead is not None:
        raise SourceError(
            f"replication slot {plan.slot} is at {ahead[0]}, and this pipeline has read up to "
            f"{passed} only: the changes between are gone. The location is an old copy, the slot "
            "was recreated, or another pipeline reads it. Start at a new location, with another "
            "name= (in SQL another slot.name)"
        )
    there = " ".join(parts for *_, parts in found if parts)
    _check_parts(plan, set(had.split()) - set(there.split()))
    return there


def parts_of(connection: Any, plan: PgPlan) -> str:
    """The partitions of what is read, by their numbers at the server."""
    found = connection.execute(
        f"SELECT {_PARTS} FROM pg_class c WHERE c.oid = ANY (%s::oid[]) ORDER BY c.oid",
        [[table.oid for table in plan.tables]],
    ).fetchall()
    return " ".join(parts for (parts,) in found if parts)


def _check_parts(plan: PgPlan, gone: Collection[str]) -> None:
    if gone and plan.truncate == "error":
        raise SourceError(
            f"{len(gone)} partition{'s' * (len(gone) > 1)} of "
            f"{', '.join(table.qualified for table in plan.tables)} went, by DROP TABLE or DETACH "
            "PARTITION, which PostgreSQL does not tell as deletes: the views would keep their "
            "rows. DELETE the rows before; to go on, start at a new location, or give "
            "truncate='ignore', which keeps them"
        )


def _check_children(table: str, children: str | None) -> None:
    """Refuses a table that others inherit from: a snapshot has their rows, the stream has not."""
    if children is not None:
        raise SourceError(
            f"{children} inherits from table {table}: PostgreSQL tells of changes in it under its "
            f"own name, so rows of {table} would come and go untold. ALTER TABLE ... NO INHERIT "
            f"{table}, or make it a partitioned table"
        )


def make_publication(connection: Any, plan: PgPlan) -> None:
    """Makes the publication if it is not there."""
    found = connection.execute(
        "SELECT 1 FROM pg_publication WHERE pubname = %s", [plan.publication]
    ).fetchone()
    if found is None:
        listed = ", ".join(table.qualified for table in plan.tables)
        connection.execute(
            f"CREATE PUBLICATION {quoted(plan.publication)} FOR TABLE {listed} "
            "WITH (publish_via_partition_root = true)"
        )
