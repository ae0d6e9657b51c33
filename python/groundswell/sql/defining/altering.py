"""What ``ALTER TABLE`` may do to the columns of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from groundswell.catalog.table_spec import why_not_wider
from groundswell.errors import ConfigurationError
from groundswell.plan.sources import version_columns
from groundswell.sinks.registry import SinkSpec
from groundswell.sql.connecting.connectors import declared_schema
from groundswell.sql.connecting.lakes import LAKES
from groundswell.sql.connecting.server_streams import is_of_server
from groundswell.sql.history.log import Object
from groundswell.sql.parsing import statements as s


def is_needed(table: Object, change: s.AlterTable) -> bool:
    """Whether a statement changes a table; it may allow that there is nothing to do.

    Raises:
        ConfigurationError: the table cannot get such columns.
    """
    made = table.statement
    assert isinstance(made, s.CreateRelation)
    if made.options.get("connector") or made.kind == s.SOURCE:
        _check_connected(table, made, change)
    if made.append_only and not made.key:
        raise ConfigurationError(
            f"table {table.name} is APPEND ONLY, and keeps its columns: make a table of another "
            "name with others"
        )
    known = {column.name.lower(): column.name for column in made.columns}
    match change:
        case s.AddColumns():
            there = [known[c.name.lower()] for c in change.columns if c.name.lower() in known]
            if there and not change.if_not_exists:
                raise ConfigurationError(
                    f"table {table.name} has a column {there[0]} already: write ADD COLUMN IF NOT "
                    "EXISTS if that is fine"
                )
            return len(there) < len(change.columns)
        case s.DropColumns():
            lacking = [name for name in change.columns if name.lower() not in known]
            if lacking and not change.if_there:
                raise _unknown(table, made, lacking[0])
            gone = {name.lower() for name in change.columns}
            if used := [(name, use) for name, use in _uses(made).items() if name.lower() in gone]:
                (name, use), *_ = used
                raise ConfigurationError(
                    f"column {name} of table {table.name} is of the {use}: it has to stay"
                )
            if gone >= known.keys():
                raise ConfigurationError(
                    f"table {table.name} would have no column left: DROP TABLE gives it up"
                )
            return len(lacking) < len(change.columns)
        case s.RenameColumn():
            if change.column.lower() not in known:
                raise _unknown(table, made, change.column)
            if change.to.lower() in known and change.to.lower() != change.column.lower():
                raise ConfigurationError(
                    f"table {table.name} has a column {known[change.to.lower()]} already"
                )
            name = known[change.column.lower()]
            if reason := _uses(made).get(name):
                raise ConfigurationError(
                    f"column {name} of table {table.name} is of the {reason}, and keeps its name"
                )
            return known[change.column.lower()] != change.to
        case s.WidenColumn():
            if change.column.lower() not in known:
                raise _unknown(table, made, change.column)
            now = next(c.type for c in made.columns if c.name.lower() == change.column.lower())
            return now != change.type
        case _:
            raise AssertionError(type(change).__name__)


def _uses(made: s.CreateRelation) -> dict[str, str]:
    """By column that a table cannot do without, or call otherwise, what it is of."""
    options = {key.lower(): value for key, value in made.options.items()}
    found = dict.fromkeys(version_columns(options.get("version")), "version")
    if made.watermark is not None:
        found[made.watermark.column] = "WATERMARK"
    found |= dict.fromkeys(made.key, "PRIMARY KEY, which identifies a row")
    known = {column.name.lower(): column.name for column in made.columns}
    return {known.get(name.lower(), name): use for name, use in found.items()}


def _check_connected(table: Object, made: s.CreateRelation, change: s.AlterTable) -> None:
    """Refuses what cannot be done to a relation whose rows another system gives."""
    what, connector = f"{made.kind} {table.name}", made.options.get("connector", "")
    if not isinstance(change, s.AddColumns):
        raise ConfigurationError(
            f"{what} has the columns of its connector {connector!r}: it can only get more of them"
        )
    if not made.columns or is_of_server(made) or connector in LAKES:
        raise ConfigurationError(
            f"{what} has the columns that its connector {connector!r} knows, and gets those that "
            "come there at the next start"
        )
    if made.kind == s.TABLE and not made.key:
        raise ConfigurationError(
            f"{what} has no PRIMARY KEY, and keeps its columns: make a table of another name"
        )
    if wrong := [c.name for c in change.columns if c.required or c.default is not None]:
        raise ConfigurationError(
            f"{what}: column {wrong[0]} is read from {connector!r}, so it has no DEFAULT and may "
            "be null"
        )


def check_altered(table: Object, sinks: Mapping[str, SinkSpec]) -> None:
    """Refuses what the last statement makes of a table.

    Args:
        table: with the statement.
        sinks: by the name that SQL has for them.

    Raises:
        ConfigurationError: a type is not wider; or a column that goes, or gets another name, may be
            one that a sink writes.
    """
    before, now = replace(table, altered=table.altered[:-1]).statement, table.statement
    assert isinstance(before, s.CreateRelation)
    assert isinstance(now, s.CreateRelation)
    if now.options.get("connector"):
        return
    old, new = declared_schema(before), declared_schema(now)
    if reason := why_not_wider(old, new, now.key):
        raise ConfigurationError(f"table {table.name}: {reason}")
    gone = [name for name in old.names if name not in new.names]
    for name, sink in sinks.items():
        if sink.table == table.stored and gone:
            raise ConfigurationError(
                f"column {gone[0]} of table {table.name} stays as it is: sink {name} writes "
                "into the table, and knows its columns by their names. Drop the sink first"
            )


def _unknown(table: Object, made: s.CreateRelation, column: str) -> ConfigurationError:
    names = ", ".join(each.name for each in made.columns)
    return ConfigurationError(f"table {table.name} has no column {column!r}; it has {names}")
