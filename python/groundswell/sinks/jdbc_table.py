"""The table that a sink of JDBC writes to: found by its name, made, and checked by columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import types as t

from groundswell.errors import SinkError
from groundswell.jvm.jdbc import JdbcColumn, JdbcTarget
from groundswell.sinks.columns import missing
from groundswell.sinks.holding import Day, Held, Text
from groundswell.sinks.jdbc_dialects import Dialect, Names
from groundswell.sinks.narrowing import Narrowing
from groundswell.sinks.target_types import JDBC_BINARY, of_jdbc, of_sqlite

if TYPE_CHECKING:
    import pyarrow as pa

PROGRESS = "groundswell_epochs"
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
_ZONED = re.compile(r"(?i)timestamptz|with time ?zone|datetimeoffset|timestampltz")
_KINDS: dict[type[t.DataType], str] = {
    t.BooleanType: "boolean",
    t.ByteType: "int",
    t.ShortType: "int",
    t.IntegerType: "int",
    t.LongType: "long",
    t.FloatType: "float",
    t.DoubleType: "double",
    t.DecimalType: "decimal",
    t.BinaryType: "binary",
}
_AS_TEXT: dict[type[t.DataType], str] = {
    t.StringType: "string",
    t.CharType: "string",
    t.VarcharType: "string",
    t.DecimalType: "decimal_text",
    t.DateType: "date_text",
    t.TimestampType: "time_text",
    t.TimestampNTZType: "time_text",
}


@dataclass(frozen=True)
class Place:
    """A column of the view in the table.

    Attributes:
        field: the view's column.
        name: of the table's column, in quotes.
        kind: of Java's ``Cells``: how its values become parameters.
        text: whether the table's column is one of texts.
    """

    field: t.StructField
    name: str
    kind: str
    text: bool = False

    def values(self, rows: pa.Table) -> pa.ChunkedArray:
        """The column's values as the JVM takes them: dates and times as numbers."""
        import pyarrow as pa

        column = rows[self.field.name]
        if self.kind.startswith("date"):
            return column.cast(pa.int32())
        if self.kind.startswith("time") or self.kind == "instant":
            if isinstance(self.field.dataType, t.DateType):
                return column.cast(pa.timestamp("us")).cast(pa.int64())
            return column.cast(pa.int64())
        plain = {
            "int": pa.int32(),
            "double": pa.float64(),
            "string": pa.string(),
            "binary": pa.binary(),
        }.get(self.kind)
        return column if plain is None else column.cast(plain)


class Table:
    """A table, found by its name as the user wrote it, or as the database stores such a name."""

    def __init__(self, target: JdbcTarget, dialect: Dialect, name: str, sink: str) -> None:
        self._target, self._dialect, self._sink = target, dialect, sink
        parts = name.split(".")
        if len(parts) > 2 or not all(parts):
            raise SinkError(f"table {name!r} is not a name, or a schema and a name")
        self._asked = name
        self._schema, self._plain = ("", *parts)[-2:]
        self._find()

    def _find(self) -> None:
        self._there: dict[str, JdbcColumn] = {}
        for schema, plain in self._spellings():
            found = self._target.columns(schema, plain)
            if found:
                self._schema, self._plain = schema, plain
                self._there = {column.name: column for column in found}
                return

    def _spellings(self) -> list[tuple[str, str]]:
        folded = (self.folded(self._schema.lower()), self.folded(self._plain.lower()))
        return list(dict.fromkeys([(self._schema, self._plain), folded]))

    def folded(self, name: str) -> str:
        """A name without quotes, as the database stores it."""
        if not _PLAIN.fullmatch(name):
            return name
        return name.upper() if self._target.stores == "upper" else name

    def quoted(self, name: str) -> str:
        """A name in quotes."""
        quote = self._target.quote
        return f"{quote}{name.replace(quote, quote * 2)}{quote}" if quote else name

    def _placed(self, name: str) -> str:
        own = self.quoted(name)
        return f"{self.quoted(self._schema)}.{own}" if self._schema else own

    @property
    def name(self) -> str:
        """In quotes, with its schema."""
        return self._placed(self._plain)

    @property
    def progress(self) -> str:
        """The table of epochs beside it."""
        return self._placed(self.folded(PROGRESS))

    def create(self, fields: Sequence[t.StructField], key: Sequence[str], view: str) -> None:
        """Makes the table, if it is not there."""
        if self._there:
            return
        parts = []
        for f in fields:
            what = f"column {f.name} of view {view}"
            kind = self._dialect.type_of(f.dataType, what, f.name in key)
            required = " NOT NULL" if f.name in key else ""
            parts.append(f"{self.quoted(self.folded(f.name))} {kind}{required}")
        if key:
            names = ", ".join(self.quoted(self.folded(name)) for name in key)
            parts.append(f"PRIMARY KEY ({names})")
        self._schema, self._plain = self._spellings()[-1]
        end = self._dialect.create_with
        self._target.run(f"CREATE TABLE {self.name} ({', '.join(parts)}){end}")
        self._find()

    def create_progress(self) -> None:
        """Makes the table of epochs, if it is not there."""
        if not self._target.columns(self._schema, self.folded(PROGRESS)):
            columns: tuple[str, ...] = (
                "sink varchar(200) NOT NULL PRIMARY KEY",
                "name varchar(200) NOT NULL",
            )
            columns += ("token bigint NOT NULL", "epoch bigint NOT NULL")
            if self._dialect.name == "Oracle":
                columns = tuple(c.replace("bigint", "number(19)") for c in columns)
            end = self._dialect.create_with
            self._target.run(f"CREATE TABLE {self.progress} ({', '.join(columns)}){end}")

    def check(
        self, fields: Sequence[t.StructField], key: Sequence[str], narrowing: Narrowing
    ) -> list[Place]:
        """Where each column of the view goes.

        Raises:
            SinkError: the table cannot take the columns.
        """
        if not self._there:
            raise SinkError(
                f"there is no table {self._asked} in {self._dialect.name}, or none that this user "
                "may see. Create it, or set create_table to true for a table with the view's "
                "columns"
            )
        places = [self._place(f, f.name in key, narrowing) for f in fields]
        given = {place.name for place in places}
        lacking = [n for n, c in self._there.items() if c.required and self.quoted(n) not in given]
        if lacking:
            raise SinkError(
                f"table {self._asked} wants a value for {', '.join(lacking)}, which the sink does "
                "not write; give them defaults"
            )
        if key:
            self._check_unique([p.name for p in places if p.field.name in key])
        return places

    def _check_unique(self, key: Sequence[str]) -> None:
        unique = self._target.uniques(self._schema, self._plain)
        if not any({self.quoted(name) for name in names} == set(key) for names in unique):
            names = ", ".join(key)
            raise SinkError(
                f"table {self._asked} has no primary key and no unique index on ({names}), which "
                f"the sink's key is: ALTER TABLE {self.name} ADD PRIMARY KEY ({names})"
            )
        more = [n for n in unique if {self.quoted(name) for name in n} != set(key)]
        if more and self._dialect.finds_by_any_key:
            names = ", ".join(more[0])
            raise SinkError(
                f"table {self._asked} has a second unique index, on ({names}). "
                f"{self._dialect.name} takes a new row for the one that has the same value there, "
                "and would change that in the place of its own: make it an index that is not "
                "unique, or take it as the sink's key"
            )

    def _place(self, column: t.StructField, key: bool, narrowing: Narrowing) -> Place:
        found = self._column(column.name)
        held = self._held(found)
        kind = self._kind(column, found, held)
        if kind is None:
            raise SinkError(
                f"column {column.name} of table {self._asked} is of type {found.type}, and the "
                f"view gives {column.dataType.simpleString()}, which it does not take: cast "
                f"{column.name} in the query"
            )
        narrowing.take(f"table {self._asked}", column, found.type, held)
        if key and kind == "string":
            self._check_exact(column.name, found)
        return Place(column, self.quoted(found.name), kind, isinstance(held, Text))

    def _column(self, name: str) -> JdbcColumn:
        alike = [c for n, c in self._there.items() if n.lower() == name.lower()]
        found = self._there.get(name, alike[0] if len(alike) == 1 else None)
        if found is None:
            raise missing(f"table {self._asked}", name, self._there)
        return found

    def _held(self, column: JdbcColumn) -> Held:
        if self._dialect.name == "SQLite":
            return of_sqlite(column.type)
        return of_jdbc(column.type, column.code, column.size, column.digits)

    def _kind(self, column: t.StructField, found: JdbcColumn, held: Held) -> str | None:
        plain = type(column.dataType)
        if isinstance(held, Text):
            return _AS_TEXT.get(plain)
        if plain is t.BinaryType:
            takes = found.code in JDBC_BINARY or found.type.upper() in ("BLOB", "BYTEA")
            return "binary" if takes else None
        if held is None:
            return None
        if plain is t.DateType:
            return self._dated("date" if isinstance(held, Day) else "time")
        if plain is t.TimestampType:
            return self._dated("instant" if _is_zoned(found) else "time")
        if plain is t.TimestampNTZType:
            return None if _is_zoned(found) else self._dated("time")
        kind = _KINDS.get(plain)
        return "double" if kind == "float" and self._dialect.floats_as_doubles else kind

    def _dated(self, kind: str) -> str:
        if not self._dialect.dates_as_text:
            return kind
        return "date_text" if kind == "date" else "time_text"

    def _check_exact(self, name: str, column: JdbcColumn) -> None:
        """A key of two texts that the database takes for one would lose rows."""
        exact = self._dialect.exact_texts
        if exact is None:
            rows = self._target.query(
                "SELECT collation_name FROM information_schema.columns WHERE table_schema = "
                "database() AND table_name = ? AND column_name = ?",
                self._plain,
                column.name,
            )
            collation = str(rows[0][0]) if rows else ""
            exact = collation.endswith(("_nopad_bin", "_0900_bin"))
        elif exact:
            exact = not (_OTHER_TEXTS.search(column.type) or self._is_collated())
        if not exact:
            raise SinkError(
                f"key column {name} of table {self._asked} is a text, and {self._dialect.name} may "
                "take different texts for the same, as 'a' and 'a '. Rows would be lost. Take a "
                "number as the key, or hex(encode(..., 'utf-8')) beside the text"
                + (
                    ", or give the column a collation that ends in _nopad_bin or _0900_bin"
                    if self._dialect.exact_texts is None
                    else ""
                )
            )

    def _is_collated(self) -> bool:
        """Whether SQLite's statement of the table names a collation that is not exact."""
        if self._dialect.name != "SQLite":
            return False
        rows = self._target.query("SELECT sql FROM sqlite_master WHERE tbl_name = ?", self._plain)
        return any(_OTHER_TEXTS.search(str(text)) for (text,) in rows)


_OTHER_TEXTS = re.compile(r"ignorecase|collate\s+\W?(nocase|rtrim)", re.IGNORECASE)
"""Types and collations of texts that take 'a' and 'A', or 'a' and 'a ', for the same."""


def _is_zoned(column: JdbcColumn) -> bool:
    return column.code in (2014, -155) or bool(_ZONED.search(column.type))


def names_of(table: Table, places: Sequence[Place], key: Sequence[str]) -> Names:
    """The table and the columns that are written, as statements have them."""
    keys = [p.name for p in places if p.field.name in key]
    return Names(table.name, keys, [p.name for p in places if p.field.name not in key])
