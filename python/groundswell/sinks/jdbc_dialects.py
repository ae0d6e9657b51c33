"""What databases say differently: types of columns, upserts, locks. Pure.

A database that is not named here is written to by ``UPDATE``, and by ``INSERT`` for the rows that
it did not find: that is SQL everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from pyspark.sql import types as t

from groundswell.errors import SinkError

if TYPE_CHECKING:
    import pyarrow as pa

Quote = Callable[[str], str]
Upsert = Callable[["Names"], str]
_JULIAN = date(1582, 10, 14)  # the last day that Java's older classes count in another calendar

_TYPES: dict[type[t.DataType], str] = {
    t.BooleanType: "boolean",
    t.ByteType: "smallint",
    t.ShortType: "smallint",
    t.IntegerType: "integer",
    t.LongType: "bigint",
    t.FloatType: "real",
    t.DoubleType: "double precision",
    t.StringType: "varchar(4000)",
    t.DateType: "date",
    t.TimestampType: "timestamp with time zone",
    t.TimestampNTZType: "timestamp",
}


@dataclass(frozen=True)
class Names:
    """A table and its columns, in quotes.

    Attributes:
        table: its name.
        key: columns that identify a row.
        values: the other columns.
    """

    table: str
    key: Sequence[str]
    values: Sequence[str]

    @property
    def all(self) -> list[str]:
        """Key columns and others."""
        return [*self.key, *self.values]

    @property
    def marks(self) -> str:
        """A parameter for each column."""
        return ", ".join("?" for _ in self.all)

    @property
    def listed(self) -> str:
        """All columns."""
        return ", ".join(self.all)


@dataclass(frozen=True)
class Dialect:
    """A database.

    Attributes:
        name: as errors say it.
        types: of columns that differ from standard SQL's; None: it has none that holds the type.
        key_types: of columns of a key, where they are others.
        digits: the most digits of a decimal.
        upsert: a statement that inserts a row or changes it, with one parameter a column; None:
            two statements do that.
        session: statements that a connection begins with.
        dates_as_text: whether the driver takes dates and times as texts alone.
        floats_as_doubles: whether a float of 32 bits is found by the double that it is, and not by
            its shortest digits.
        exact_texts: whether no two different texts are equal in a key; None: the column's
            collation says so.
        empty_is_null: whether an empty text is null.
        no_nan: whether it has no NaN in columns of floats, and no error for it.
        no_infinity: whether the same is so of infinity.
        no_days: the first and the last of days that it has not, or takes for other ones.
        create_with: what ends the statement that makes a table.
        finds_by_any_key: whether its upsert finds a row by each unique index of the table.
    """

    name: str
    types: dict[type[t.DataType], str | None] = field(default_factory=dict)
    key_types: dict[type[t.DataType], str] = field(default_factory=dict)
    digits: int = 38
    upsert: Upsert | None = None
    session: tuple[str, ...] = ()
    dates_as_text: bool = False
    floats_as_doubles: bool = False
    exact_texts: bool | None = False
    empty_is_null: bool = False
    no_nan: bool = False
    no_infinity: bool = False
    no_days: tuple[date, date] | None = None
    create_with: str = ""
    finds_by_any_key: bool = False

    def type_of(self, kind: t.DataType, what: str, key: bool) -> str:
        """The type of a column that a table is made with.

        Args:
            kind: the view's type.
            what: the column, for messages.
            key: whether it is of the key.

        Raises:
            SinkError: the database has none.
        """
        if isinstance(kind, t.DecimalType) and t.DecimalType not in self.types:
            if kind.precision <= self.digits:
                return f"decimal({kind.precision},{kind.scale})"
            raise self._has_none(kind, what, f": its decimals have {self.digits} digits at most")
        plain = type(kind)
        if isinstance(kind, t.CharType | t.VarcharType):
            plain = t.StringType
        found = self.types.get(plain, _TYPES.get(plain))
        if found is None:
            raise self._has_none(kind, what, "")
        return self.key_types.get(plain, found) if key else found

    def changed(self, column: pa.ChunkedArray, text: bool) -> tuple[pa.ChunkedArray | None, str]:
        """Which values it would change without a word, or None for no column of this type.

        Args:
            column: the values.
            text: whether the table's column is one of texts.

        Returns:
            true for a value that would change, and what such a value is called.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        kind = column.type
        if pa.types.is_floating(kind) and self.no_infinity:
            return pc.invert(pc.is_finite(column)), "a number that is not finite"
        if pa.types.is_floating(kind) and self.no_nan:
            return pc.is_nan(column), "NaN"
        if (
            text
            and self.empty_is_null
            and (pa.types.is_string(kind) or pa.types.is_large_string(kind))
        ):
            return pc.equal(column, ""), "an empty text"
        if self.no_days and not text and (pa.types.is_date(kind) or pa.types.is_timestamp(kind)):
            first, last = self.no_days
            day = pc.cast(pc.floor_temporal(column, unit="day"), pa.date32())
            inside = pc.and_(pc.greater_equal(day, first), pc.less_equal(day, last))
            return inside, f"days from {first} to {last}"
        return None, ""

    def _has_none(self, kind: t.DataType, what: str, why: str) -> SinkError:
        return SinkError(
            f"{what} is of type {kind.simpleString()}, which {self.name} has no type for{why}. "
            "Cast it in the query, as to a string"
        )


def _on_conflict(names: Names) -> str:
    changed = ", ".join(f"{c} = excluded.{c}" for c in names.values)
    return (
        f"INSERT INTO {names.table} ({names.listed}) VALUES ({names.marks}) "
        f"ON CONFLICT ({', '.join(names.key)}) DO "
        + (f"UPDATE SET {changed}" if changed else "NOTHING")
    )


def _on_duplicate(names: Names) -> str:
    changed = ", ".join(f"{c} = VALUES({c})" for c in names.values or names.key)
    return (
        f"INSERT INTO {names.table} ({names.listed}) VALUES ({names.marks}) "
        f"ON DUPLICATE KEY UPDATE {changed}"
    )


def _merge_key(names: Names) -> str:
    return (
        f"MERGE INTO {names.table} ({names.listed}) KEY ({', '.join(names.key)}) "
        f"VALUES ({names.marks})"
    )


def _merge(source: Callable[[Names], str], hint: str = "", end: str = "") -> Upsert:
    """Standard SQL's MERGE of one row, which is written in two ways."""

    def made(names: Names) -> str:
        same = " AND ".join(f"t.{c} = s.{c}" for c in names.key)
        changed = ", ".join(f"t.{c} = s.{c}" for c in names.values)
        inserted = ", ".join(f"s.{c}" for c in names.all)
        return (
            f"MERGE INTO {names.table}{hint} t USING {source(names)} ON ({same})"
            + (f" WHEN MATCHED THEN UPDATE SET {changed}" if changed else "")
            + f" WHEN NOT MATCHED THEN INSERT ({names.listed}) VALUES ({inserted}){end}"
        )

    return made


def _from_values(names: Names) -> str:
    return f"(VALUES ({names.marks})) AS s ({names.listed})"


def _from_dual(names: Names) -> str:
    return f"(SELECT {', '.join(f'? AS {c}' for c in names.all)} FROM dual) s"


OTHER = Dialect("this database")
_MYSQL = Dialect(
    "MySQL",
    types={
        t.ByteType: "tinyint",
        t.FloatType: "float",
        t.DoubleType: "double",
        t.StringType: "longtext",
        t.BinaryType: "longblob",
        t.TimestampType: "datetime(6)",
        t.TimestampNTZType: "datetime(6)",
    },
    key_types={
        t.StringType: "varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin",
        t.BinaryType: "varbinary(255)",
    },
    digits=65,
    upsert=_on_duplicate,
    floats_as_doubles=True,
    session=("SET time_zone = '+00:00'", "SET sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')"),
    exact_texts=None,
    no_nan=True,
    no_infinity=True,
    create_with=" ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4",
    finds_by_any_key=True,
)
DIALECTS: dict[str, Dialect] = {
    "postgresql": Dialect(
        "PostgreSQL",
        types={t.StringType: "text", t.BinaryType: "bytea"},
        digits=1000,
        upsert=_on_conflict,
        exact_texts=True,
    ),
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
    "sqlite": Dialect(
        "SQLite",
        types={
            t.ByteType: "integer",
            t.ShortType: "integer",
            t.LongType: "integer",
            t.FloatType: "real",
            t.DoubleType: "real",
            t.StringType: "text",
            t.BinaryType: "blob",
            t.DecimalType: "text",
            t.DateType: "text",
            t.TimestampType: "text",
            t.TimestampNTZType: "text",
        },
        upsert=_on_conflict,
        dates_as_text=True,
        exact_texts=True,
        no_nan=True,
    ),
    "h2": Dialect(
        "H2",
        types={
            t.ByteType: "tinyint",
            t.StringType: "varchar",
            t.BinaryType: "varbinary",
            t.TimestampType: "timestamp(6) with time zone",
            t.TimestampNTZType: "timestamp(6)",
        },
        digits=100_000,
        upsert=_merge_key,
        exact_texts=True,
    ),
    "derby": Dialect(
        "Derby",
        types={
            t.StringType: "varchar(32672)",
            t.BinaryType: "varchar(32672) for bit data",
            t.TimestampType: "timestamp",
        },
        digits=31,
        dates_as_text=True,
        no_days=(date(1582, 10, 5), _JULIAN),
    ),
    "hsqldb": Dialect(
        "HSQLDB",
        types={
            t.ByteType: "tinyint",
            t.FloatType: "double",
            t.StringType: "longvarchar",
            t.BinaryType: "longvarbinary",
            t.TimestampType: "timestamp(6) with time zone",
            t.TimestampNTZType: "timestamp(6)",
        },
        digits=1000,
        no_days=(date.min, _JULIAN),
    ),
    "sqlserver": Dialect(
        "SQL Server",
        types={
            t.BooleanType: "bit",
            t.IntegerType: "int",
            t.DoubleType: "float",
            t.StringType: "nvarchar(max)",
            t.BinaryType: "varbinary(max)",
            t.TimestampType: "datetimeoffset(6)",
            t.TimestampNTZType: "datetime2(6)",
        },
        upsert=_merge(_from_values, " WITH (HOLDLOCK) AS", ";"),
        no_nan=True,
        no_infinity=True,
    ),
    "oracle": Dialect(
        "Oracle",
        types={
            t.BooleanType: "number(1)",
            t.ByteType: "number(3)",
            t.ShortType: "number(5)",
            t.IntegerType: "number(10)",
            t.LongType: "number(19)",
            t.FloatType: "binary_float",
            t.DoubleType: "binary_double",
            t.StringType: "varchar2(4000)",
            t.BinaryType: "blob",
            t.DateType: "timestamp(0)",
            t.TimestampType: "timestamp(6) with time zone",
            t.TimestampNTZType: "timestamp(6)",
        },
        upsert=_merge(_from_dual),
        exact_texts=True,
        empty_is_null=True,
    ),
}
"""By what comes after ``jdbc:`` in a URL."""


def dialect_of(url: str) -> Dialect:
    """The dialect of a URL of JDBC.

    Raises:
        SinkError: it is none.
    """
    parts = url.split(":")
    if len(parts) < 3 or parts[0].lower() != "jdbc":
        raise SinkError(
            "option url is not a JDBC URL: it must begin with jdbc:, as jdbc:postgresql://host/database"
        )
    return DIALECTS.get(parts[1].lower(), OTHER)
