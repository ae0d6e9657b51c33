"""``WITH (connector = 'postgres', ...)``: the tables of a server in one stream, behind one slot.

A stream's tables must all be known when it is opened. So a pipeline that gets one more table of a
stream is built again; once a run has begun the stream, it takes no more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from pyspark.sql import DataFrame, SparkSession

from groundswell.columns import is_measured
from groundswell.errors import ConfigurationError
from groundswell.sinks.extras import optional
from groundswell.sources.postgres import PgStream, Reading, opened
from groundswell.sql.connectors import check_options, declared_schema, schema_of
from groundswell.sql.parsing import statements as s
from groundswell.sql.references import resolved

CONNECTORS = ("postgres", "postgres-cdc")

_LIBPQ = {
    "hostname": "host",
    "port": "port",
    "username": "user",
    "database.name": "dbname",
    "ssl.mode": "sslmode",
    "ssl.root.cert": "sslrootcert",
}
PASSWORD = ("password_env", "password_file")
_READING = {
    "publication.name": "publication",
    "max_rows": "max_rows",
    "retry_seconds": "retry_seconds",
    "truncate": "truncate",
    "infinity": "infinity",
    "new_columns": "new_columns",
}
_OF_TABLE = ("schema.name", "table.name")
OPTIONS = (*_LIBPQ, *PASSWORD, *_READING, *_OF_TABLE, "slot.name")
_ALIASES = {
    "host": "hostname",
    "user": "username",
    "database": "database.name",
    "schema": "schema.name",
    "table": "table.name",
}


@dataclass(frozen=True)
class Wanted:
    """What a statement asks for.

    Attributes:
        what: the relation, for messages.
        table: its name at the server, with its schema.
        slot: the replication slot, which is also the stream's name in the checkpoint.
        server: the other options, which all tables of the slot must agree on.
    """

    what: str
    table: str
    slot: str
    server: Mapping[str, str]


def is_postgres(statement: Any) -> TypeGuard[s.CreateRelation]:
    """Whether a statement makes a relation that PostgreSQL feeds."""
    return (
        isinstance(statement, s.CreateRelation)
        and statement.options.get("connector", "").lower() in CONNECTORS
    )


def wanted(pipeline: str, relation: s.CreateRelation) -> Wanted:
    """What a statement asks for.

    Args:
        pipeline: its name: the default slot is called after it.
        relation: the statement.

    Raises:
        ConfigurationError: an option is unknown or missing.
    """
    what = f"{relation.kind} {relation.name[-1]}"
    given = {k: v for k, v in relation.options.items() if k.lower() != "connector"}
    check_options(f"{what}: connector 'postgres'", given, [*OPTIONS, *_ALIASES])
    options: dict[str, str] = {}
    for key, value in given.items():
        name = _ALIASES.get(key.lower(), key.lower())
        if name in options:
            raise ConfigurationError(f"{what}: option {name} is given twice, once as {key}")
        options[name] = value
    for needed in ("hostname", "database.name"):
        if not options.get(needed):
            raise ConfigurationError(f"{what}: connector 'postgres' needs the option {needed}")
    if relation.format or relation.encode or relation.watermark or relation.append_only:
        raise ConfigurationError(
            f"{what}: connector 'postgres' gives a table that changes: it takes no FORMAT, no "
            "WATERMARK and no APPEND ONLY"
        )
    schema = options.pop("schema.name", "public")
    table = options.pop("table.name", relation.name[-1])
    slot = options.pop("slot.name", f"groundswell_{pipeline.lower()}")
    return Wanted(what, f"{schema}.{table}", slot, options)


@dataclass
class _Group:
    tables: list[Wanted] = field(default_factory=list)
    stream: PgStream | None = None


class Streams:
    """The streams of one pipeline.

    Args:
        spark: the session.
        pipeline: its name.
        relations: all statements of the pipeline that make a relation which PostgreSQL feeds.
    """

    def __init__(
        self, spark: SparkSession, pipeline: str, relations: Iterable[s.CreateRelation] = ()
    ) -> None:
        self._spark = spark
        self._pipeline = pipeline
        self._groups: dict[str, _Group] = {}
        for relation in relations:
            self._expect(wanted(pipeline, relation))

    def _expect(self, made: Wanted) -> None:
        group = self._groups.setdefault(made.slot, _Group())
        for other in group.tables:
            _check_agree(made, other)
        if made.table not in [other.table for other in group.tables]:
            group.tables.append(made)

    def grows(self, statement: Any) -> bool:
        """Whether a statement adds a table to a stream that is open already."""
        if not is_postgres(statement):
            return False
        made = wanted(self._pipeline, statement)
        group = self._groups.get(made.slot)
        return group is not None and made.table not in [each.table for each in group.tables]

    def check(self, statement: Any, begun: Collection[str]) -> None:
        """Refuses a table that comes too late.

        Args:
            statement: any.
            begun: names of the streams that a run has begun.

        Raises:
            ConfigurationError: with the way round.
        """
        if not is_postgres(statement):
            return
        made = wanted(self._pipeline, statement)
        if made.slot in begun:
            raise ConfigurationError(
                f"{made.what}: the stream of slot {made.slot} runs already, and has passed the "
                f"rows that {made.table} has: give the table a slot of its own, with slot.name = "
                "'...', or begin another pipeline"
            )
        for other in self._groups.get(made.slot, _Group()).tables:
            _check_agree(made, other)

    def frame(self, relation: s.CreateRelation, stored: str) -> DataFrame:
        """What stands for a relation in queries.

        Args:
            relation: the statement.
            stored: what the checkpoint calls it.

        Raises:
            ConfigurationError: the columns or the key differ from the server's.
            SourceError: the server, the table or a privilege is missing.
        """
        made = wanted(self._pipeline, relation)
        if made.slot not in self._groups:
            self._expect(made)
        group = self._groups[made.slot]
        if group.stream is None:
            group.stream = self._open(group.tables)
        number = [each.table for each in group.tables].index(made.table)
        table = group.stream.plan.tables[number]
        there = {name.lower() for name, _ in table.columns}
        listed = schema_of(relation) if relation.columns else None
        measured = [c for c in declared_schema(relation) if is_measured(c)] if listed else []
        if measured:
            raise ConfigurationError(
                f"{made.what}: column {measured[0].name} is {measured[0].dataType.simpleString()}, "
                "and PostgreSQL checks lengths itself: give it the type string"
            )
        missing = [c.name for c in listed or () if c.name.lower() not in there]
        if missing:
            raise ConfigurationError(
                f"{made.what}: table {made.table} has no column {', '.join(missing)}; it has "
                f"{', '.join(name for name, _ in table.columns)}"
            )
        key = ", ".join(table.key)
        if relation.key and {k.lower() for k in relation.key} != {k.lower() for k in table.key}:
            raise ConfigurationError(
                f"{made.what}: the primary key of {made.table} is ({key}), not "
                f"({', '.join(relation.key)})"
            )
        if listed and not {k.lower() for k in table.key} <= {c.name.lower() for c in listed}:
            raise ConfigurationError(
                f"{made.what}: the columns must have the primary key of {made.table}, ({key})"
            )
        return group.stream.table(number, stored, listed)

    def _open(self, tables: list[Wanted]) -> PgStream:
        psycopg = optional("psycopg", "postgres")
        first = tables[0]
        options = resolved(first.what, first.server)
        password = options.pop("password", None)
        libpq = {_LIBPQ[k]: v for k, v in options.items() if k in _LIBPQ}
        try:
            dsn = psycopg.conninfo.make_conninfo(**libpq)
        except psycopg.ProgrammingError as e:
            raise ConfigurationError(f"{first.what}: {str(e).strip()}") from e
        how = _reading(first, options)
        names = [each.table for each in tables]
        return opened(self._spark, dsn, names, first.slot, password, how)


def _reading(made: Wanted, options: Mapping[str, str]) -> Reading:
    given: dict[str, Any] = {_READING[k]: v for k, v in options.items() if k in _READING}
    for name, type_ in (("max_rows", int), ("retry_seconds", float)):
        if name in given:
            try:
                given[name] = type_(given[name])
            except ValueError:
                raise ConfigurationError(
                    f"{made.what}: {name} is a number, got {given[name]!r}"
                ) from None
    return Reading(**{"slot": made.slot, "publication": made.slot, **given})


def _check_agree(made: Wanted, other: Wanted) -> None:
    for option in sorted({*made.server, *other.server}):
        mine, theirs = made.server.get(option), other.server.get(option)
        if mine != theirs:
            raise ConfigurationError(
                f"{made.what} has {_shown(option, mine)} and {other.what} has "
                f"{_shown(option, theirs)}, and both are read through slot {made.slot}: give them "
                "the same options, or one of them a slot of its own, with slot.name = '...'"
            )


def _shown(option: str, value: str | None) -> str:
    return f"no {option}" if value is None else f"{option} = {value!r}"
