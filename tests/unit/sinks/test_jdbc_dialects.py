"""What the sink of JDBC says to databases, and what their columns hold."""

from datetime import UTC, date, datetime

import pyarrow as pa
import pytest
from pyspark.sql import types as t

from groundswell.errors import SinkError
from groundswell.sinks.holding import lacks
from groundswell.sinks.jdbc_dialects import DIALECTS, OTHER, Names, dialect_of
from groundswell.sinks.target_types import of_jdbc, of_sqlite
from groundswell.sinks.trust import addresses

NAMES = Names('"T"', ['"A"', '"B"'], ['"C"'])
KEYS = Names('"T"', ['"A"'], [])


def test_a_url_says_which_dialect() -> None:
    assert dialect_of("jdbc:mariadb://h/d").name == "MySQL"
    assert dialect_of("JDBC:H2:mem:x").name == "H2"
    assert dialect_of("jdbc:unheard:of") is OTHER
    for url in ("postgresql://h/d", "jdbc:", "x"):
        with pytest.raises(SinkError, match="is not a JDBC URL"):
            dialect_of(url)


def test_upserts() -> None:
    def upsert(name: str, names: Names = NAMES) -> str:
        made = DIALECTS[name].upsert
        assert made is not None
        return made(names)

    assert (
        upsert("postgresql")
        == upsert("sqlite")
        == (
            'INSERT INTO "T" ("A", "B", "C") VALUES (?, ?, ?) ON CONFLICT ("A", "B") DO UPDATE SET '
            '"C" = excluded."C"'
        )
    )
    assert upsert("postgresql", KEYS).endswith('ON CONFLICT ("A") DO NOTHING')
    assert upsert("mysql").endswith('ON DUPLICATE KEY UPDATE "C" = VALUES("C")')
    assert upsert("mysql", KEYS).endswith('ON DUPLICATE KEY UPDATE "A" = VALUES("A")')
    assert upsert("sqlserver").startswith(
        'MERGE INTO "T" WITH (HOLDLOCK) AS t USING (VALUES (?, ?, ?)) AS s ("A", "B", "C") ON '
    )
    assert upsert("sqlserver").endswith(");")
    assert 'USING (SELECT ? AS "A", ? AS "B", ? AS "C" FROM dual) s ON' in upsert("oracle")
    assert "UPDATE" not in upsert("oracle", KEYS)
    assert DIALECTS["derby"].upsert is OTHER.upsert is None


def test_days_that_a_database_takes_for_other_ones_are_refused() -> None:
    """HSQLDB stores 0001-01-01 as 0001-01-03, Derby 1582-10-10 as 1582-10-15."""

    def changed(name: str, days: list[date], text: bool = False) -> list[date]:
        found = []
        for kind in (pa.date32(), pa.timestamp("us"), pa.timestamp("us", "UTC")):
            zone = UTC if kind == pa.timestamp("us", "UTC") else None
            late = [datetime(d.year, d.month, d.day, 23, 59, 59, 999_999, zone) for d in days]
            column = pa.chunked_array([pa.array(days if kind == pa.date32() else late, kind)])
            wrong, why = DIALECTS[name].changed(column, text)
            marks = [False] * len(days) if wrong is None else wrong.to_pylist()
            assert why == "" or "1582-10-14" in why
            found.append([day for day, mark in zip(days, marks, strict=True) if mark])
        assert found[0] == found[1] == found[2]
        return found[0]

    days = [date(1, 1, 1), date(1582, 10, 4), date(1582, 10, 5), date(1582, 10, 14)]
    later = [date(1582, 10, 15), date(9999, 12, 31)]
    assert changed("hsqldb", days + later) == days
    assert changed("derby", days + later) == days[2:]
    assert changed("derby", days, text=True) == changed("h2", days) == []
    nulls = pa.chunked_array([pa.array([None, date(1582, 10, 10)], pa.date32())])
    wrong, _ = DIALECTS["derby"].changed(nulls, False)
    assert wrong is not None and wrong.to_pylist() == [None, True]


def test_numbers_and_texts_that_a_database_does_not_keep() -> None:
    def marks(name: str, values: list[object], text: bool = False) -> list[bool | None]:
        wrong, _ = DIALECTS[name].changed(pa.chunked_array([pa.array(values)]), text)
        return [False] * len(values) if wrong is None else wrong.to_pylist()

    numbers: list[object] = [1.5, float("nan"), float("inf"), None]
    assert marks("sqlserver", numbers) == [False, True, True, None]
    assert marks("sqlite", numbers) == [False, True, False, None]
    assert marks("postgresql", numbers) == [False] * 4
    assert marks("oracle", ["", "a", None], text=True) == [True, False, None]
    assert marks("h2", ["", "a", None], text=True) == [False] * 3


@pytest.mark.parametrize("name", list(DIALECTS))
def test_a_table_that_is_made_holds_every_value(name: str) -> None:
    """Each type that a dialect has is one, and those that none has are refused by name."""
    dialect = DIALECTS[name]
    for kind in (t.LongType(), t.StringType(), t.DoubleType(), t.DecimalType(31, 3), t.DateType()):
        assert dialect.type_of(kind, "column c", False)
    with pytest.raises(SinkError, match="column c is of type array<int>, which"):
        dialect.type_of(t.ArrayType(t.IntegerType()), "column c", False)


def test_derby_has_31_digits() -> None:
    with pytest.raises(SinkError, match=r"decimal\(38,3\).* have 31 digits at most"):
        DIALECTS["derby"].type_of(t.DecimalType(38, 3), "column c", False)


@pytest.mark.parametrize(
    ("described", "kind", "told"),
    [
        (("INTEGER", 4, 10, 0), t.IntegerType(), None),
        (("INTEGER", 4, 10, 0), t.LongType(), "smallest number is -2147483648"),
        (("INT UNSIGNED", 4, 10, 0), t.IntegerType(), "smallest number is 0"),
        (("NUMERIC", 2, 10, 2), t.DecimalType(10, 2), None),
        (("NUMERIC", 2, 10, 2), t.DecimalType(10, 3), "2 of 3 digits"),
        (("numeric", 2, 0, 0), t.DecimalType(38, 18), None),
        (("REAL", 7, 7, 0), t.DoubleType(), "24 of 53 bits"),
        (("DATETIME", 93, 19, 0), t.TimestampType(), "0 of 6 decimals"),
        (("TIMESTAMP", 93, 29, 9), t.TimestampNTZType(), None),
        (("DATE", 91, 10, 0), t.TimestampType(), "drops the time"),
        (("CHAR", 1, 3, 0), t.StringType(), "fills every text"),
        (("BOOLEAN", 16, 1, 0), t.LongType(), "holds no bigint"),
    ],
)
def test_what_a_column_holds(
    described: tuple[str, int, int, int], kind: t.DataType, told: str | None
) -> None:
    found = lacks(of_jdbc(*described), kind)
    assert found is None if told is None else told in str(found)


def test_sqlite_goes_by_affinity() -> None:
    assert lacks(of_sqlite("VARCHAR(3)"), t.StringType()) is None
    assert lacks(of_sqlite("unsigned big int"), t.LongType()) is None
    assert lacks(of_sqlite("float"), t.DoubleType()) is None
    assert of_sqlite("decimal(10,5)") is None


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("jdbc:postgresql://a:1,b/d?x=y", [("a", "1"), ("b", "")]),
        ("jdbc:mariadb:loadbalance://a:1/d", [("a", "1")]),
        ("jdbc:sqlserver://a:1433;serverName=b", [("a", "1433"), ("b", "")]),
        ("jdbc:oracle:thin:@a:1521:sid", [("a", "1521")]),
        ("jdbc:oracle:thin:@//a:1521/s", [("a", "1521")]),
        ("jdbc:mysql://address=(host=a)(port=1)/d", [("a", "")]),
        ("jdbc:sqlite:/data/x.db", []),
    ],
)
def test_the_owner_s_list_of_addresses_sees_the_hosts_of_a_url(
    url: str, found: list[tuple[str, str]]
) -> None:
    """A URL of JDBC had no host for it: the list would have allowed all."""
    seen = list(addresses({"url": url}))
    assert [each for each in seen if "(" not in each[0]] == found


def test_a_key_has_columns_that_may_be_one() -> None:
    mysql, h2 = DIALECTS["mysql"], DIALECTS["h2"]
    assert mysql.type_of(t.BinaryType(), "column k", True) == "varbinary(255)"
    assert mysql.type_of(t.VarcharType(9), "column k", True).endswith("COLLATE utf8mb4_nopad_bin")
    assert mysql.type_of(t.BinaryType(), "column v", False) == "longblob"
    assert h2.type_of(t.BinaryType(), "column k", True) == "varbinary"
