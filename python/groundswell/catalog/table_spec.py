"""What a table that people write to is: its columns, its key, and what they mean. Pure."""

from __future__ import annotations

import copy
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pyspark.errors import ParseException
from pyspark.sql.types import BooleanType, DataType, StructField, StructType

from groundswell.catalog import columns_of_tables as columns
from groundswell.catalog.names import free_name
from groundswell.errors import SourceError
from groundswell.plan.sources import Version, check_conflict, version_columns, version_text

DELETE = "_groundswell_delete"
EXISTS_DEFAULT = "EXISTS_DEFAULT"
"""In a column's metadata: what Spark reads of files that lack the column."""


@dataclass(frozen=True)
class TableSpec:
    """What a table is: ``schema`` as Spark's JSON, ``key`` empty for a table of appends.

    ``life_micros``: how long a row stays after it was last written; 0: for ever. ``keep``: whether
    its rows stay for views that are added later; None: as the table that is there says, or yes.
    ``defaults``: as SQL, what rows of before a column was there have in it. ``dropped``: types, by
    name, of columns that it had once. ``stored``: by name of a column that was renamed, the name
    that it began with: files, states and plans go on with that. ``checks``: conditions, by name,
    that each row written is to meet, as SQL; null meets one.
    """

    schema: Mapping[str, Any]
    key: tuple[str, ...]
    conflict: str = "overwrite"
    version: tuple[str, ...] = ()
    life_micros: int = 0
    keep: bool | None = None
    defaults: Mapping[str, str] = field(default_factory=dict)
    dropped: Mapping[str, Any] = field(default_factory=dict)
    stored: Mapping[str, str] = field(default_factory=dict)
    checks: Mapping[str, str] = field(default_factory=dict)

    def struct(self) -> StructType:
        """Of a copy: PySpark writes into the JSON of collated columns that it reads."""
        return StructType.fromJson(copy.deepcopy(dict(self.schema)))

    def lines(self) -> list[str]:
        """What it is, in SQL's words."""
        columns = [
            f"{f.name} {f.dataType.simpleString()}{'' if f.nullable else ' NOT NULL'}"
            for f in self.struct().fields
        ]
        options = {
            "key": ", ".join(self.key),
            "version": version_text(self.version),
            "conflict": self.conflict if self.key else None,
            "ttl": f"{self.life_micros} microseconds" if self.life_micros else None,
            "keep": None if self.keep is None or self.key else self.keep,
        }
        checks = [f"CONSTRAINT {name} CHECK ({text})" for name, text in self.checks.items()]
        given = [f"{name} = {value}" for name, value in options.items() if value]
        return [*columns, *checks, *given]

    def written(self) -> StructType:
        """The columns of a write's file; where there is a key, one tells whether it deletes."""
        hidden = [StructField(DELETE, BooleanType())] if self.key else []
        return StructType([*columns.stored(self.struct()).fields, *hidden])

    def read(self) -> StructType:
        """The columns of a write's file, with what those of before a column was there have."""
        fields = []
        for one in self.written().fields:
            default = self.defaults.get(one.name)
            more = {} if default is None else {EXISTS_DEFAULT: default}
            metadata = {**(one.metadata or {}), **more}
            name = self.stored.get(one.name, one.name)
            fields.append(StructField(name, one.dataType, one.nullable, metadata))
        return StructType(fields)

    def renamed(self, old: str, new: str) -> TableSpec:
        """The same with another name of a column."""
        fields = [
            StructField(new if f.name == old else f.name, f.dataType, f.nullable, f.metadata)
            for f in self.struct().fields
        ]
        schema = json.loads(StructType(fields).json())
        defaults = {new if n == old else n: text for n, text in self.defaults.items()}
        first = self.stored.get(old, old)
        stored = {n: name for n, name in self.stored.items() if n != old}
        stored |= {new: first} if new != first else {}
        return replace(self, schema=schema, defaults=defaults, stored=stored)

    def with_columns(self, more: StructType, defaults: Mapping[str, str]) -> TableSpec:
        """The same with more columns, behind the others."""
        struct = StructType([*self.struct().fields, *more.fields])
        known = {**self.defaults, **defaults}
        stored = {**self.stored, **self.names_for(more.names)}
        return replace(self, schema=json.loads(struct.json()), defaults=known, stored=stored)

    def names_for(self, more: Iterable[str]) -> dict[str, str]:
        """What new columns are stored as, of which another one has the name."""
        new = list(more)
        taken = {self.stored.get(name, name).lower() for name in self.struct().names}
        made: dict[str, str] = {}
        for name in new:
            free = free_name(name, taken, new)
            taken.add(free.lower())
            made |= {name: free} if free != name else {}
        return made

    def without(self, names: Collection[str]) -> TableSpec:
        """The same without some columns; their names stay known with their types."""
        fields = self.struct().fields
        struct = StructType([f for f in fields if f.name not in names])
        first = {f.name: self.stored.get(f.name, f.name) for f in fields}
        gone = {first[f.name]: f.dataType.jsonValue() for f in fields if f.name in names}
        defaults = {n: text for n, text in self.defaults.items() if n not in names}
        stored = {n: name for n, name in self.stored.items() if n not in names}
        dropped = {**self.dropped, **gone}
        schema = json.loads(struct.json())
        return replace(self, schema=schema, defaults=defaults, dropped=dropped, stored=stored)

    def with_type(self, name: str, type_: DataType) -> TableSpec:
        """The same with another type of a column."""
        fields = [
            StructField(f.name, type_, f.nullable, f.metadata) if f.name == name else f
            for f in self.struct().fields
        ]
        return replace(self, schema=json.loads(StructType(fields).json()))

    def why_not(self, other: TableSpec, drops: bool) -> str | None:
        """Why another table cannot become this one; None: its rows fit in here.

        It may get columns, and wider types; rows of before have null in a new column, or its
        default.

        Args:
            other: what the table is.
            drops: whether it may lose columns, or go back to a type that was widened.
        """
        own = {self.stored.get(f.name, f.name): f for f in self.struct().fields}
        old = {other.stored.get(f.name, f.name): f for f in other.struct().fields}
        same = replace(
            self,
            schema=other.schema,
            defaults=other.defaults,
            dropped=other.dropped,
            stored=other.stored,
        )
        if self.checks != other.checks:
            return "its CHECK constraints are others"
        if same != other:
            return "its key or modes are others"
        if [n for n in own if n in old] != [n for n in old if n in own]:
            return "its columns have another order"
        called = {f.name for f in own.values()}
        if gone := [
            f.name + (f" (it was called {n} until it was renamed)" if n in called else "")
            for n, f in old.items()
            if n not in own and not drops
        ]:
            return f"it lacks {', '.join(gone)}"
        for name, now in own.items():
            was = old.get(name)
            if was is None:
                known = other.dropped.get(name)
                if known is not None and known != now.dataType.jsonValue():
                    return (
                        f"{now.name} was a column of another type once, and writes of then may "
                        "still come: give it another name"
                    )
            elif now.dataType != was.dataType and (
                name in self.key or not _fits(now.dataType, was.dataType, drops)
            ):
                return _retyped(now.name, was.dataType, now.dataType, name in self.key)
            elif now.nullable != was.nullable:
                return f"{now.name} is NOT NULL at one time only"
        return None

    def is_stricter(self, other: TableSpec) -> bool:
        """Whether the other is the same without lengths and ``NOT NULL``, as releases noted it.

        A ``char`` is no stricter string: its rows are padded.
        """
        plain = columns.loose(self.struct()).json()
        return replace(self, schema=json.loads(plain)) == other


def _fits(new: DataType, old: DataType, back: bool) -> bool:
    return columns.is_wider(new, old) or (back and columns.is_wider(old, new))


def _retyped(name: str, old: DataType, new: DataType, of_key: bool) -> str:
    """What is said of a type that a column cannot get."""
    why = ": it is of the key" if of_key else ", which does not hold all of its values"
    return f"{name} is {old.simpleString()}, and cannot become {new.simpleString()}{why}"


def why_not_wider(old: StructType, new: StructType, key: Sequence[str]) -> str | None:
    """Why columns cannot get the types that they are to have; None: they can."""
    now = {f.name: f.dataType for f in new.fields}
    for each in old.fields:
        wanted = now.get(each.name, each.dataType)
        of_key = each.name in key
        if wanted != each.dataType and (of_key or not columns.is_wider(wanted, each.dataType)):
            return _retyped(each.name, each.dataType, wanted, of_key)
    return None


def table_spec(
    schema: StructType | str,
    key: str | Sequence[str] | None,
    conflict: str,
    version: Version,
    life_micros: int = 0,
    keep: bool | None = None,
    defaults: Mapping[str, str] | None = None,
    stored: Mapping[str, str] | None = None,
    checks: Mapping[str, str] | None = None,
) -> TableSpec:
    """What the user said, checked as far as it can be without a session's types."""
    check_conflict(conflict)
    struct = as_struct(schema)
    keys = () if key is None else (key,) if isinstance(key, str) else tuple(key)
    if life_micros and not keys:
        raise SourceError(
            "a table with a ttl needs key=: without one no row is written again. Give the views of "
            "it a ttl, or WHERE ts > now() - INTERVAL ..."
        )
    if keep is False and keys:
        raise SourceError(
            "a table with a key keeps its rows, or an upsert could not take the old one back: "
            "leave keep=False out, or the key"
        )
    if unknown := sorted({*(defaults or {})} - {*struct.names}):
        raise SourceError(f"defaults names {unknown[0]}, which is not a column")
    return TableSpec(
        json.loads(struct.json()),
        keys,
        conflict,
        version_columns(version),
        life_micros,
        keep,
        defaults or {},
        stored=stored or {},
        checks=checks or {},
    )


def as_struct(schema: StructType | str) -> StructType:
    """Columns as StructType or DDL.

    Raises:
        SourceError: the text is not a list of columns with types of Spark's.
    """
    try:
        found = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    except ParseException as error:
        said = str(error).strip().splitlines()[0]
        raise SourceError(
            f"{schema!r} are no columns of a table: {said}. Write names and types, as "
            "'id bigint, name string'"
        ) from None
    assert isinstance(found, StructType)
    return found
