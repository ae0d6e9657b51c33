"""Values of servers that Spark's types do not hold: what a row says of them."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import types as t

from groundswell.errors import SourceError
from groundswell.plan.sources import GONE, MALFORMED, UNREAD
from groundswell.sources.mysql_binlog import Batches as MyBatches
from groundswell.sources.mysql_server import MyPlan, MyTable
from groundswell.sources.mysql_types import ZERO, Column, read_value
from groundswell.sources.postgres_rows import Batches as PgBatches
from groundswell.sources.postgres_server import PgPlan, PgTable
from groundswell.sources.tagged import hidden


def postgres(*columns: tuple[str, t.DataType], key: tuple[str, ...] = ("id",)) -> PgTable:
    return PgTable("public", "t", columns, key, "t")


def rows_of(batch: Any) -> list[dict[str, Any]]:
    return [row["t0"] for row in batch.to_pylist()]


def read(table: PgTable, rows: list[tuple[list[str | None], bool]]) -> list[dict[str, Any]]:
    return rows_of(PgBatches(PgPlan({}, (table,), "s", "p", 9, 1.0, "error")).of(0, rows))


def test_a_row_tells_table_key_column_and_value() -> None:
    table = postgres(("id", t.LongType()), ("d", t.DateType()), ("n", t.DecimalType(9, 2)))
    assert hidden(table) == (MALFORMED,)
    good, bad, gone = read(
        table,
        [
            (["1", "2026-01-01", "1.00"], False),
            (["2", "0044-03-15 BC", "NaN"], False),
            (["3", None, None], True),
        ],
    )
    assert good[MALFORMED] is None and gone[MALFORMED] is None and gone[GONE]
    assert bad["d"] is bad["n"] is None
    assert bad[MALFORMED] == (
        'column d of table "public"."t" has the value 0044-03-15 BC in the row id = 2, and date '
        'holds the years 1 to 9999; column n of table "public"."t" has the value NaN in the row '
        "id = 2, and decimal(9,2) holds 9 digits, 2 of them behind the point"
    )


def test_keys_that_are_not_held_stay_apart_and_can_be_deleted() -> None:
    table = postgres(("id", t.LongType()), ("d", t.DateType()), key=("id", "d"))
    assert hidden(table) == (MALFORMED, UNREAD)
    found = read(
        table,
        [(["1", "infinity"], False), (["1", "0001-01-01 BC"], False), (["1", "infinity"], True)],
    )
    assert [row[UNREAD] for row in found] == ["d = infinity", "d = 0001-01-01 BC", "d = infinity"]
    assert [row[MALFORMED] is None for row in found] == [False, False, True]
    assert "in the row id = 1, d = infinity, and option infinity" in found[0][MALFORMED]


def test_a_table_whose_types_spark_holds_has_no_hidden_fields() -> None:
    """So its views, and what locations have of them, are as they were."""
    table = postgres(("id", t.LongType()), ("x", t.StringType()), ("f", t.DoubleType()))
    assert hidden(table) == ()


def test_long_values_are_cut() -> None:
    table = postgres(("id", t.LongType()), ("n", t.DecimalType(38, 18)))
    (row,) = read(table, [(["1", "9" * 100_000], False)])
    assert len(row[MALFORMED]) < 500


def test_a_value_that_no_column_was_expected_to_have_is_an_error() -> None:
    table = postgres(("id", t.LongType()), ("x", t.IntegerType()))
    with pytest.raises(SourceError, match=r"column x .* value 3000000000 in the row id = 1"):
        read(table, [(["1", "3000000000"], False)])


def test_a_zero_date_in_a_key_of_mysql_is_a_failing_row() -> None:
    table = MyTable("shop", "t", (Column("d", "date"), Column("x", "date")), ("d",), "t")
    plan = MyPlan({}, (table,))
    zero = [read_value(table.fields[0], "0000-00-00"), ZERO]
    (bad, gone) = rows_of(MyBatches(plan).of(0, [(zero, False), (zero, True)]))
    assert bad[UNREAD] == gone[UNREAD] == "d = a date that no calendar has"
    assert "column d of table `shop`.`t` has the value a date that no calendar" in bad[MALFORMED]
    assert gone[MALFORMED] is None and gone[GONE]
