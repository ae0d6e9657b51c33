"""What a table that people write to is: its columns, its key, and what they mean. Pure."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pyspark.sql.types import BooleanType, StructField, StructType

from groundswell.catalog import columns_of_tables as columns
from groundswell.errors import SourceError
from groundswell.plan.sources import Version, version_columns, version_text

DELETE = "_groundswell_delete"
EXISTS_DEFAULT = "EXISTS_DEFAULT"
"""In a column's metadata: what Spark reads of files that lack the column."""


@dataclass(frozen=True)
class TableSpec:
    """What a table is: ``schema`` as Spark's JSON, ``key`` empty for a table of appends.

    ``life_micros``: how long a row stays after it was last written; 0: for ever. ``keep``: whether
    its rows stay for views that are added later; None: as the table that is there says, or yes.
    ``defaults``: as SQL, what rows of before a column was there have in it.
    """

    schema: Mapping[str, Any]
    key: tuple[str, ...]
    conflict: str = "overwrite"
    version: tuple[str, ...] = ()
    life_micros: int = 0
    keep: bool | None = None
    defaults: Mapping[str, str] = field(default_factory=dict)

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
        return [*columns, *(f"{name} = {value}" for name, value in options.items() if value)]

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
            fields.append(StructField(one.name, one.dataType, one.nullable, metadata))
        return StructType(fields)

    def with_columns(self, more: StructType, defaults: Mapping[str, str]) -> TableSpec:
        """The same with more columns, behind the others."""
        struct = StructType([*self.struct().fields, *more.fields])
        known = {**self.defaults, **defaults}
        return replace(self, schema=json.loads(struct.json()), defaults=known)

    def grows(self, other: TableSpec) -> bool:
        """Whether the other is the same with fewer columns, so that rows of it fit in here.

        A column that is new may be null in rows of before, unless it has a default.
        """
        own, old = self.struct(), other.struct()
        new = [f for f in own.fields if f.name not in old.names]
        plain = replace(self, schema=other.schema, defaults=other.defaults)
        return (
            bool(new)
            and plain == other
            and [f for f in own.fields if f.name in old.names] == old.fields
            and all(f.nullable or f.name in self.defaults for f in new)
        )

    def is_stricter(self, other: TableSpec) -> bool:
        """Whether the other is the same without lengths and ``NOT NULL``, as releases noted it."""
        plain = columns.loose(self.struct()).json()
        return replace(self, schema=json.loads(plain)) == other


def table_spec(
    schema: StructType | str,
    key: str | Sequence[str] | None,
    conflict: str,
    version: Version,
    life_micros: int = 0,
    keep: bool | None = None,
    defaults: Mapping[str, str] | None = None,
) -> TableSpec:
    """What the user said, checked as far as it can be without a session's types."""
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
        raise SourceError(f"defaults names {unknown[0]}, which is no column")
    return TableSpec(
        json.loads(struct.json()),
        keys,
        conflict,
        version_columns(version),
        life_micros,
        keep,
        defaults or {},
    )


def as_struct(schema: StructType | str) -> StructType:
    """Columns as StructType or DDL."""
    found = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    assert isinstance(found, StructType)
    return found
