"""PostgreSQL's types and texts."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import types as t
from pyspark.sql.pandas.types import to_arrow_type

from groundswell.sources.postgres_types import column, elements, is_doubtful, spark_type
from groundswell.sources.unheld import Values

VALUES: dict[str, tuple[t.DataType, list[str | None], list[Any]]] = {
    "bool": (t.BooleanType(), ["t", "f", None], [True, False, None]),
    "int2": (t.ShortType(), ["-32768", None], [-32768, None]),
    "int8": (t.LongType(), ["9223372036854775807"], [9223372036854775807]),
    "float8": (
        t.DoubleType(),
        ["1e-300", "Infinity", "-Infinity"],
        [1e-300, float("inf"), -float("inf")],
    ),
    "numeric": (t.DecimalType(38, 18), ["1.5", None], [Decimal("1.500000000000000000"), None]),
    "date": (t.DateType(), ["2024-02-29", "infinity"], [date(2024, 2, 29), None]),
    "timestamp": (
        t.TimestampNTZType(),
        ["2024-02-29 01:02:03.456789", "1900-01-01 00:00:00"],
        [datetime(2024, 2, 29, 1, 2, 3, 456789), datetime(1900, 1, 1)],
    ),
    "timestamptz": (
        t.TimestampType(),
        ["2024-02-29 01:02:03.4+00", None],
        [datetime(2024, 2, 29, 1, 2, 3, 400000, UTC), None],
    ),
    "bytea": (t.BinaryType(), ["\\x00ff", "\\x"], [b"\x00\xff", b""]),
    "jsonb": (t.StringType(), ['{"a": 1}', "", None], ['{"a": 1}', "", None]),
    "uuid": (
        t.StringType(),
        ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
        ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
    ),
}


def read(type_: t.DataType, texts: list[str | None], infinity: str = "null") -> Values:
    return column(texts, type_, to_arrow_type(type_, timezone="UTC"), infinity)


@pytest.mark.parametrize("name", VALUES)
def test_a_type(name: str) -> None:
    type_, texts, values = VALUES[name]
    assert spark_type(name, -1) == type_
    found = read(type_, texts)
    assert found.array.to_pylist() == values
    assert not found.unheld


def test_numeric_with_and_without_room() -> None:
    assert spark_type("numeric", ((10 << 16) | 2) + 4) == t.DecimalType(10, 2)
    assert spark_type("numeric", ((50 << 16) | 2) + 4) == t.StringType()


UNHELD = [
    ("numeric", ["NaN", "Infinity", "-Infinity", "1e30", f"0.{'1' * 19}"], "38 digits, 18 of them"),
    ("date", ["0044-03-15 BC", "10000-01-01", "5874897-12-31"], "holds the years 1 to 9999"),
    ("timestamp", ["0001-01-01 00:00:00 BC", "294276-12-31 23:59:59.999999"], "years 1 to 9999"),
    ("timestamptz", ["0044-03-15 00:00:00+00 BC", "12026-01-01 00:00:00+00"], "years 1 to 9999"),
]
"""Values of PostgreSQL, by type, that Spark's type does not hold, and what is said of it."""


@pytest.mark.parametrize(("name", "texts", "why"), UNHELD)
def test_values_that_spark_does_not_hold_are_told_one_by_one(
    name: str, texts: list[str], why: str
) -> None:
    """One of them ended the pipeline for good, with nothing but a new location as a way on."""
    type_ = spark_type(name, -1)
    assert is_doubtful(type_)
    good = VALUES[name][1][0]
    found = read(type_, [good, *texts, None, good])
    ends = VALUES[name][2][0]
    assert found.array.to_pylist() == [ends, *([None] * len(texts)), None, ends]
    assert [found.unheld[at + 1].value for at in range(len(texts))] == texts
    assert all(why in each.why for each in found.unheld.values())
    quoted = [f'{{"{text}"}}' for text in (good, *texts)]
    listed = read(t.ArrayType(type_), quoted)
    assert sorted(listed.unheld) == list(range(1, len(texts) + 1))
    assert all(why in each.why and texts[at - 1] in each.why for at, each in listed.unheld.items())


@pytest.mark.parametrize("name", ["bool", "int2", "int4", "int8", "float4", "float8", "text"])
def test_types_that_spark_holds_whole_are_not_looked_at(name: str) -> None:
    assert not is_doubtful(spark_type(name, -1))


def test_arrays() -> None:
    type_ = spark_type("_int4", -1, "int4")
    assert type_ == t.ArrayType(t.IntegerType())
    found = read(type_, ["{1,2,NULL}", None, "{}", "{7}"])
    assert found.array.to_pylist() == [[1, 2, None], None, [], [7]]
    assert elements('{a,"b \\"c\\\\",NULL,"NULL",""}') == ["a", 'b "c\\', None, "NULL", ""]
    assert elements("[2:3]={1,2}") == ["1", "2"]
    found = read(type_, ["{3}", "{{1},{2}}"])
    assert found.array.to_pylist() == [[3], None]
    assert "more than one dimension" in found.unheld[1].why


@pytest.mark.parametrize(
    ("name", "last", "first"),
    [
        ("date", date(9999, 12, 31), date(1, 1, 1)),
        ("timestamp", datetime(9999, 12, 31, 23, 59, 59, 999_999), datetime(1, 1, 1)),
        (
            "timestamptz",
            datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC),
            datetime(1, 1, 1, tzinfo=UTC),
        ),
    ],
)
def test_infinite_times_are_what_the_option_says(name: str, last: Any, first: Any) -> None:
    type_ = spark_type(name, -1)
    texts: list[str | None] = ["infinity", "-infinity", None]
    assert read(type_, texts, "bounds").array.to_pylist() == [last, first, None]
    assert read(type_, texts, "null").array.to_pylist() == [None, None, None]
    assert not read(type_, texts, "null").unheld
    found = read(type_, texts, "error")
    assert [found.unheld[at].value for at in (0, 1)] == ["infinity", "-infinity"]
    assert "option infinity" in found.unheld[0].why
    assert read(t.ArrayType(type_), ["{infinity}"], "bounds").array.to_pylist() == [[last]]
