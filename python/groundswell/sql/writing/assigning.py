"""``SET column = value``, also of a field within a column, as ``UPDATE`` and ``MERGE`` have it.

A name is read as Spark reads it: first as a column behind the table's name or alias, then as a
column with fields. A struct of which one field is assigned is made anew with the others as they
were; of a struct that is null these are null.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pyspark.sql.types import DataType, StructType

from groundswell.columns import quoted
from groundswell.errors import ConfigurationError
from groundswell.sql.parsing import statements as s
from groundswell.sql.writing.defaults import is_default, value_of


@dataclass
class _Node:
    """What is assigned to a column or field: a value, or values of fields within."""

    value: str | None = None
    fields: dict[str, _Node] = field(default_factory=dict)


@dataclass(frozen=True)
class Target:
    """The table whose columns are assigned.

    Attributes:
        what: begins messages, as ``UPDATE t``.
        schema: its columns, in order, without hidden ones.
        relation: what the statement calls it, quoted.
        names: what may stand before a column, the longest name first.
        defaults: as SQL, by column; a column without one has null.
    """

    what: str
    schema: StructType
    relation: str
    names: tuple[tuple[str, ...], ...]
    defaults: dict[str, str]

    def column(self, path: s.Name) -> tuple[str, ...]:
        """The column that a name begins with, as the table calls it, and the fields behind it.

        Raises:
            ConfigurationError: there is none.
        """
        by_lower = {name.lower(): name for name in self.schema.names}
        lower = tuple(part.lower() for part in path)
        for name in self.names:
            before = len(name)
            if lower[:before] == name and len(path) > before and lower[before] in by_lower:
                return (by_lower[lower[before]], *path[before + 1 :])
        if lower[0] in by_lower:
            return (by_lower[lower[0]], *path[1:])
        table, known = self.what.split(" ")[-1], ", ".join(self.schema.names)
        raise ConfigurationError(f"table {table} has no column {'.'.join(path)!r}; it has {known}")


def assigned(target: Target, sets: Iterable[tuple[s.Name, str]]) -> dict[str, str]:
    """By column that is assigned, its new value as SQL, which may read the table's columns.

    Raises:
        ConfigurationError: a name is of no column or field, is assigned twice, or is within what
            is no struct.
    """
    roots: dict[str, _Node] = {}
    for path, value in sets:
        column, *fields = target.column(path)
        names, type_, at = (
            [column],
            target.schema[column].dataType,
            roots.setdefault(column, _Node()),
        )
        for name in fields:
            found = _field(target.what, names, type_, name)
            _check_once(target.what, names, at.value is not None)
            names, type_ = [*names, found], type_[found].dataType  # type: ignore[index]
            at = at.fields.setdefault(found, _Node())
        _check_once(target.what, names, at.value is not None or bool(at.fields))
        if fields and is_default(value):
            raise ConfigurationError(
                f"{target.what}: DEFAULT is the value of a column, and {'.'.join(names)} is a "
                "field within one: write the value"
            )
        at.value = value_of(value, target.defaults.get(column, "NULL"))
    return {
        column: _value(node, target.schema[column].dataType, f"{target.relation}.{quoted(column)}")
        for column, node in roots.items()
    }


def _field(what: str, names: Sequence[str], type_: DataType, name: str) -> str:
    """A field as the struct calls it."""
    above = ".".join(names)
    if not isinstance(type_, StructType):
        raise ConfigurationError(
            f"{what}: {above}.{name} cannot be assigned, for {above} is of type "
            f"{type_.simpleString()}, and only a struct has fields that can be: assign {above}"
        )
    found = [each for each in type_.names if each.lower() == name.lower()]
    if len(found) != 1:
        which = f"several fields {name!r}" if found else f"no field {name!r}"
        raise ConfigurationError(f"{what}: {above} has {which}; it has {', '.join(type_.names)}")
    return found[0]


def _check_once(what: str, names: Sequence[str], twice: bool) -> None:
    if twice:
        raise ConfigurationError(f"{what}: {'.'.join(names)} is assigned twice")


def _value(node: _Node, type_: DataType, now: str) -> str:
    if node.value is not None:
        return f"({node.value})"
    assert isinstance(type_, StructType)
    fields = []
    for each in type_.fields:
        old, new = f"{now}.{quoted(each.name)}", node.fields.get(each.name)
        value = old if new is None else _value(new, each.dataType, old)
        fields.append(f"{value} AS {quoted(each.name)}")
    return f"struct({', '.join(fields)})"
