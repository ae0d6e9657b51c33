"""What an index of a table is of, when the table has got other columns since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from groundswell.errors import ConfigurationError
from groundswell.sql.history import log as logs
from groundswell.sql.parsing import statements as s


def indexed(made: logs.Object, before: logs.Contents) -> logs.Object:
    """What an index is of, as it was then.

    Args:
        made: the index.
        before: what was there when its statement was run.

    Raises:
        ConfigurationError: there was no such table, source or view.
    """
    index = made.statement
    assert isinstance(index, s.CreateIndex)
    on = before.objects.get(index.on[-1].lower())
    if on is None or on.kind not in (s.TABLE, s.SOURCE, s.VIEW):
        raise ConfigurationError(f"index {made.name}: there is nothing named {index.on[-1]!r}")
    return on


def lacks_columns(was: logs.Object, now: s.CreateRelation) -> bool:
    """Whether a table has lost columns that it had, or their types.

    Args:
        was: the table, as it was; a view loses none.
        now: as it is.
    """
    then = was.statement
    if not isinstance(then, s.CreateRelation):
        return False
    types = {_stored(column): column.type.lower() for column in now.columns}
    return any(types.get(_stored(column)) != column.type.lower() for column in then.columns)


def names_now(made: logs.Object, was: logs.Object, now: s.CreateRelation) -> dict[str, str]:
    """By name of a column in lower case, as an index has it, the name that it has now.

    Args:
        made: the index.
        was: its table, as it was then.
        now: as it is.

    Raises:
        ConfigurationError: a column that the index names is gone.
    """
    index, then = made.statement, was.statement
    assert isinstance(index, s.CreateIndex)
    assert isinstance(then, s.CreateRelation)
    called = {_stored(column): column.name for column in now.columns}
    names = {c.name.lower(): called.get(_stored(c), "") for c in then.columns}
    for name in (*index.columns, *index.include):
        if names.get(name.lower()) == "":
            raise ConfigurationError(
                f"index {made.name} is of column {name} of table {was.name}, which would be gone: "
                "drop the index first"
            )
    return names


def index_columns(
    made: logs.Object, on: logs.Object, there: Sequence[str], called: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """The columns that an index is by, and those that it includes, as its table has them.

    Args:
        made: the index.
        on: its table, source or view.
        there: names of the columns of that.
        called: by name of a column in lower case, as the index has it, the name that it has now.

    Raises:
        ConfigurationError: there is no such column.
    """
    index = made.statement
    assert isinstance(index, s.CreateIndex)
    names = {column.lower(): column for column in there}

    def column(name: str) -> str:
        found = names.get(called.get(name.lower(), name).lower())
        if found is None:
            raise ConfigurationError(
                f"index {made.name}: {on.kind} {on.name} has no column {name!r}; it has "
                f"{', '.join(there)}"
            )
        return found

    return list(map(column, index.columns)), list(map(column, index.include))


def _stored(column: s.Column) -> str:
    """The name that a column began with: it stays when the column is renamed."""
    return (column.stored or column.name).lower()
