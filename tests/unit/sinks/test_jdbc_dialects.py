"""What the sink of JDBC says to databases, and what their columns hold."""

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
        with pytest.raises(SinkError, match="no URL of JDBC"):
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
