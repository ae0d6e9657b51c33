"""The table of PostgreSQL that a sink writes to: its types, and what it must have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import types as t

from groundswell.errors import SinkError
from groundswell.sinks.columns import NOT_IN_ARROW, missing, types_within
from groundswell.sinks.holding import Uuids, check_text_key
from groundswell.sinks.narrowing import Narrowing
from groundswell.sinks.target_types import of_postgres
from groundswell.suggestions import meant

PROGRESS = "groundswell_epochs"

_TYPES: dict[type[t.DataType], str] = {
    t.BooleanType: "boolean",
    t.ByteType: "smallint",
    t.ShortType: "smallint",
    t.IntegerType: "integer",
    t.LongType: "bigint",
    t.FloatType: "real",
    t.DoubleType: "double precision",
    t.StringType: "text",
    t.CharType: "text",
    t.VarcharType: "text",
    t.BinaryType: "bytea",
    t.DateType: "date",
    t.TimestampType: "timestamptz",
    t.TimestampNTZType: "timestamp",
    t.DayTimeIntervalType: "interval",
    t.TimeType: "time",
    t.StructType: "jsonb",
    t.MapType: "jsonb",
}

# pg_type.typcategory of the columns that take a type, beside text, which takes all.
_FITTING = {
    "boolean": "B",
    "smallint": "N",
    "integer": "N",
    "bigint": "N",
    "numeric": "N",
    "real": "N",
    "double precision": "N",
    "bytea": "U",
    "date": "D",
    "timestamptz": "D",
    "timestamp": "D",
    "interval": "T",
    "time": "D",
    "jsonb": "U",
}


@dataclass(frozen=True)
class Column:
    """A column that is written: the view's, and the type that it would be given."""

    field: t.StructField
    type: str

    @property
    def name(self) -> str:
        """Of the column."""
        return str(self.field.name)


def pg_type(data_type: t.DataType, what: str) -> str:
    """The type of PostgreSQL for a type of Spark.

    Raises:
        SinkError: there is none.
    """
    if isinstance(data_type, t.DecimalType):
        return f"numeric({data_type.precision},{data_type.scale})"
    if isinstance(data_type, t.ArrayType):
        below = data_type.elementType
        pg_type(below, what)
        nested = isinstance(below, t.ArrayType | t.StructType | t.MapType | t.BinaryType)
        return "jsonb" if nested else f"{pg_type(below, what)}[]"
    found = _TYPES.get(type(data_type))
    if found is None or not types_within(data_type).isdisjoint(NOT_IN_ARROW):
        raise SinkError(
            f"{what} is of type {data_type.simpleString()}, which PostgreSQL has no type for; "
            "cast it in the query, or leave it out with option columns"
        )
    return found


def quoted(name: str) -> str:
    """The name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


class Target:
    """A table, found by its name as the user wrote it."""

    def __init__(self, connection: Any, name: str, sink: str) -> None:
        self._connection = connection
        self._sink = sink
        parts = name.split(".")
        if len(parts) > 2:
            raise SinkError(f"table {name!r} has more than a schema and a name")
        self._plain = parts[-1]
        self._schema = parts[0] if len(parts) == 2 else self._one("SELECT current_schema()")
        if self._schema is None:
            raise SinkError(f"table {name!r}: the role has no schema to look in; name the schema")
        self.name = f"{quoted(self._schema)}.{quoted(self._plain)}"
        self.progress = f"{quoted(self._schema)}.{PROGRESS}"

    def _one(self, query: str, *values: Any) -> Any:
        found = self._connection.execute(query, list(values)).fetchone()
        return None if found is None else found[0]

    def _exists(self, name: str) -> bool:
        return self._one("SELECT to_regclass(%s)", name) is not None

    def create(self, columns: Sequence[Column], key: Sequence[str]) -> None:
        """Makes the table, if it is not there."""
        parts = [f"{quoted(c.name)} {c.type}" for c in columns]
        if key:
            parts.append(f"PRIMARY KEY ({', '.join(map(quoted, key))})")
        if not self._exists(self.name):
            self._may_create()
            self._connection.execute(f"CREATE TABLE {self.name} ({', '.join(parts)})")

    def create_progress(self) -> None:
        """Makes the table of epochs, if it is not there."""
        body = (
            "(sink text PRIMARY KEY, name text NOT NULL, token bigint NOT NULL, "
            "epoch bigint NOT NULL, at timestamptz)"
        )
        if not self._exists(self.progress):
            self._may_create(f"; or let somebody else run CREATE TABLE {self.progress} {body}")
            self._connection.execute(f"CREATE TABLE IF NOT EXISTS {self.progress} {body}")
        self._need(self.progress, ("SELECT", "INSERT", "UPDATE"))

    def _may_create(self, otherwise: str = "") -> None:
        if self._one("SELECT to_regnamespace(%s)", quoted(self._schema)) is None:
            raise SinkError(f"there is no schema {self._schema} in this database")
        if not self._one("SELECT has_schema_privilege(%s, 'CREATE')", self._schema):
            role = self._role()
            raise SinkError(
                f"role {role} may not create tables in schema {self._schema}: GRANT CREATE ON "
                f"SCHEMA {quoted(self._schema)} TO {quoted(role)}{otherwise}"
            )

    def _role(self) -> str:
        return str(self._one("SELECT current_user"))

    def _need(self, table: str, privileges: Sequence[str]) -> None:
        missing = [
            each
            for each in privileges
            if not self._one("SELECT has_table_privilege(%s, %s)", table, each)
        ]
        if missing:
            raise SinkError(
                f"role {self._role()} lacks privileges: GRANT {', '.join(missing)} ON {table} TO "
                f"{quoted(self._role())}"
            )

    def check(
        self,
        columns: Sequence[Column],
        key: Sequence[str],
        mode: str,
        on_delete: str,
        narrowing: Narrowing,
    ) -> None:
        """Refuses a table that cannot take the columns.

        Raises:
            SinkError: with what it lacks.
        """
        if not self._exists(self.name):
            raise SinkError(self._missing())
        needed = {"upsert": ("INSERT", "UPDATE"), "update": ("UPDATE",), "append": ("INSERT",)}
        deletes = ("DELETE",) if on_delete == "delete" and mode != "append" else ()
        self._need(self.name, ("SELECT", *needed[mode], *deletes))
        there = self._columns()
        for column in columns:
            self._check_column(column, there, narrowing, column.name in key)
        if mode != "update":
            given = {c.name for c in columns}
            lacking = [n for n, c in there.items() if c.required and n not in given]
            if lacking:
                raise SinkError(
                    f"table {self.name} wants a value for {', '.join(lacking)}, which the sink "
                    'does not write; give them defaults, or use mode="update"'
                )
        if mode == "upsert" and not self._unique(key):
            keys = ", ".join(map(quoted, key))
            raise SinkError(
                f"table {self.name} has no primary key and no unique constraint on ({keys}), which "
                f"the sink's key is: ALTER TABLE {self.name} ADD PRIMARY KEY ({keys})"
            )

    def _missing(self) -> str:
        rows = self._connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = %s", [self._schema]
        ).fetchall()
        hint = meant(self._plain, [r[0] for r in rows])
        return (
            f"there is no table {self.name}{hint}Create it, or set create_table to true for a "
            "table with the view's columns"
        )

    def _columns(self) -> dict[str, _There]:
        rows = self._connection.execute(
            "SELECT a.attname, y.typcategory, format_type(a.atttypid, a.atttypmod), "
            "CASE y.typtype WHEN 'd' THEN format_type(y.typbasetype, y.typtypmod) "
            "ELSE format_type(a.atttypid, a.atttypmod) END, "
            "a.attnotnull AND NOT a.atthasdef AND a.attidentity = '', "
            "a.attidentity = 'a' OR coalesce(to_jsonb(a)->>'attgenerated', '') <> '', "
            "coalesce(to_jsonb(l)->>'collisdeterministic', 'true') = 'true' "
            "FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid "
            "LEFT JOIN pg_collation l ON l.oid = a.attcollation "
            "WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped",
            [self.name],
        ).fetchall()
        return {name: _There(*facts) for name, *facts in rows}

    def _check_column(
        self, column: Column, there: dict[str, _There], narrowing: Narrowing, is_key: bool
    ) -> None:
        found = there.get(column.name)
        if found is None:
            choice = ", or choose with option columns"
            raise missing(f"table {self.name}", column.name, there, choice)
        fits = "A" if column.type.endswith("]") else _FITTING.get(column.type.partition("(")[0])
        if fits is not None and found.category not in (fits, "S"):
            raise SinkError(
                f"column {column.name} of table {self.name} is of type {found.type}, and the view "
                f"gives {column.type}: cast one of the two"
            )
        what = f"table {self.name}"
        if found.made:
            raise SinkError(
                f"column {column.name} of {what} has values that PostgreSQL makes itself "
                "(GENERATED ALWAYS), and takes none: leave it out of the view, or choose with "
                "option columns"
            )
        held = of_postgres(found.base)
        if is_key and _has_texts(column.field.dataType):
            below = found.base.removesuffix("[]")
            is_uuid = below == "uuid" and below == found.base
            plain = _LENGTH.sub("", below) in ("text", "character varying")
            exact = is_uuid or (found.exact and (plain or found.category == "E"))
            check_text_key(what, column.name, found.type, exact)
            held = Uuids() if is_uuid else held
        narrowing.take(what, column.field, found.type, held)

    def _unique(self, key: Sequence[str]) -> bool:
        rows = self._connection.execute(
            "SELECT array_agg(a.attname::text) FROM pg_index i "
            "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey) "
            "WHERE i.indrelid = to_regclass(%s) AND i.indisunique AND i.indpred IS NULL "
            "AND i.indexprs IS NULL AND i.indimmediate GROUP BY i.indexrelid",
            [self.name],
        ).fetchall()
        return any(set(names) == set(key) for (names,) in rows)


@dataclass(frozen=True)
class _There:
    category: str
    type: str
    base: str
    """What a domain is made of; else the type."""
    required: bool
    made: bool
    """Whether the server makes its values itself, and takes none."""
    exact: bool
    """Whether texts are the same to it only if all their letters are."""


_LENGTH = re.compile(r"\(\d+\)$")


def _has_texts(kind: t.DataType) -> bool:
    """Whether it is a text, or an array of texts."""
    below = kind.elementType if isinstance(kind, t.ArrayType) else kind
    return isinstance(below, t.StringType | t.CharType | t.VarcharType)
