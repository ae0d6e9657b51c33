"""``WITH (connector = 'postgres' | 'mysql', ...)``: the tables of a server in one stream.

A stream's tables must all be known when it is opened. So a pipeline that gets one more table of a
stream is built again; once a run has begun the stream, it takes no more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from pyspark.sql import DataFrame, SparkSession

from groundswell.columns import is_measured
from groundswell.errors import ConfigurationError, GroundswellError
from groundswell.sources.tagged_stream import TaggedStream
from groundswell.sql.connecting.connectors import check_options, declared_schema, schema_of
from groundswell.sql.connecting.mysql import MYSQL
from groundswell.sql.connecting.postgres import POSTGRES
from groundswell.sql.connecting.server_system import System, Wanted
from groundswell.sql.parsing import statements as s

SYSTEMS = (POSTGRES, MYSQL)
_BY_CONNECTOR = {name: system for system in SYSTEMS for name in system.connectors}


def system_of(statement: Any) -> System | None:
    """The kind of server that feeds a statement's relation; None: none does."""
    if not isinstance(statement, s.CreateRelation):
        return None
    return _BY_CONNECTOR.get(statement.options.get("connector", "").lower())


def is_of_server(statement: Any) -> TypeGuard[s.CreateRelation]:
    """Whether a statement makes a relation that a server's log of changes feeds."""
    return system_of(statement) is not None


def wanted(pipeline: str, relation: s.CreateRelation) -> Wanted:
    """What a statement asks for.

    Args:
        pipeline: its name: the default stream is called after it.
        relation: the statement.

    Raises:
        ConfigurationError: an option is unknown or missing.
    """
    system = system_of(relation)
    assert system is not None
    what, connector = f"{relation.kind} {relation.name[-1]}", system.connectors[0]
    given = {k: v for k, v in relation.options.items() if k.lower() != "connector"}
    check_options(f"{what}: connector {connector!r}", given, [*system.options, *system.aliases])
    options: dict[str, str] = {}
    for key, value in given.items():
        name = system.aliases.get(key.lower(), key.lower())
        if name in options:
            raise ConfigurationError(f"{what}: option {name} is given twice, once as {key}")
        options[name] = value
    for needed in system.needs:
        if not options.get(needed):
            raise ConfigurationError(f"{what}: connector {connector!r} needs the option {needed}")
    if relation.format or relation.encode or relation.watermark or relation.append_only:
        raise ConfigurationError(
            f"{what}: connector {connector!r} gives a table that changes: it takes no FORMAT, no "
            "WATERMARK and no APPEND ONLY"
        )
    schema = options.pop("schema.name", system.schemas or options["database.name"])
    table = options.pop("table.name", relation.name[-1])
    stream = options.pop(system.stream, system.streams.format(pipeline.lower()))
    return Wanted(system, what, f"{schema}.{table}", stream, options)


@dataclass
class _Group:
    tables: list[Wanted] = field(default_factory=list)
    stream: TaggedStream | None = None


class Streams:
    """The streams of one pipeline from servers.

    Args:
        spark: the session.
        pipeline: its name.
        relations: all statements of the pipeline that make a relation which a server feeds.
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
        group = self._groups.setdefault(made.stream, _Group())
        for other in group.tables:
            _check_agree(made, other)
        if made.table not in [other.table for other in group.tables]:
            group.tables.append(made)

    def grows(self, statement: Any) -> bool:
        """Whether a statement adds a table to a stream that is open already."""
        if not is_of_server(statement):
            return False
        made = wanted(self._pipeline, statement)
        group = self._groups.get(made.stream)
        return group is not None and made.table not in [each.table for each in group.tables]

    def check(self, statement: Any, begun: Collection[str]) -> None:
        """Refuses a table that comes too late.

        Args:
            statement: any.
            begun: names of the streams that a run has begun.

        Raises:
            ConfigurationError: with the way round.
        """
        if not is_of_server(statement):
            return
        made = wanted(self._pipeline, statement)
        if made.stream in begun:
            raise ConfigurationError(
                f"{made.what}: the stream of {made.system.shared} {made.stream} runs already, and "
                f"has passed the rows that {made.table} has: give the table a "
                f"{made.system.shared} of its own, with {made.system.stream} = '...', or begin "
                "another pipeline"
            )
        for other in self._groups.get(made.stream, _Group()).tables:
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
        new = made.stream not in self._groups
        if new:
            self._expect(made)
        try:
            return self._frame(relation, made, stored)
        except GroundswellError:
            if new:  # the next statement may have other options
                del self._groups[made.stream]
            raise

    def _frame(self, relation: s.CreateRelation, made: Wanted, stored: str) -> DataFrame:
        group = self._groups[made.stream]
        if group.stream is None:
            group.stream = made.system.open(self._spark, group.tables)
        number = [each.table for each in group.tables].index(made.table)
        table = group.stream.plan.tables[number]
        there = {name.lower() for name, _ in table.columns}
        listed = schema_of(relation) if relation.columns else None
        measured = [c for c in declared_schema(relation) if is_measured(c)] if listed else []
        if measured:
            raise ConfigurationError(
                f"{made.what}: column {measured[0].name} is {measured[0].dataType.simpleString()}, "
                f"and {made.system.name} checks lengths itself: give it the type string"
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


def _check_agree(made: Wanted, other: Wanted) -> None:
    for option in sorted({*made.server, *other.server}):
        mine, theirs = made.server.get(option), other.server.get(option)
        if mine != theirs:
            raise ConfigurationError(
                f"{made.what} has {_shown(option, mine)} and {other.what} has "
                f"{_shown(option, theirs)}, and both are read through {made.system.shared} "
                f"{made.stream}: give them the same options, or one of them a "
                f"{made.system.shared} of its own, with {made.system.stream} = '...'"
            )


def _shown(option: str, value: str | None) -> str:
    return f"no {option}" if value is None else f"{option} = {value!r}"
