"""PostgreSQL's types and texts."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import types as t
from pyspark.sql.pandas.types import to_arrow_type

from groundswell.errors import SourceError
from groundswell.sources.postgres_types import column, elements, spark_type

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


@pytest.mark.parametrize("name", VALUES)
def test_a_type(name: str) -> None:
    type_, texts, values = VALUES[name]
    assert spark_type(name, -1) == type_
    arrow = to_arrow_type(type_, timezone="UTC")
    assert column(texts, type_, arrow, "c").to_pylist() == values


def test_numeric_with_and_without_room() -> None:
    assert spark_type("numeric", ((10 << 16) | 2) + 4) == t.DecimalType(10, 2)
    assert spark_type("numeric", ((50 << 16) | 2) + 4) == t.StringType()
    type_ = t.DecimalType(38, 18)
    with pytest.raises(SourceError, match=r"column a\.n has a value that"):
        column(["1e30"], type_, to_arrow_type(type_), "a.n")


def test_arrays() -> None:
    type_ = spark_type("_int4", -1, "int4")
    assert type_ == t.ArrayType(t.IntegerType())
    arrow = to_arrow_type(type_)
    found = column(["{1,2,NULL}", None, "{}", "{7}"], type_, arrow, "c")
    assert found.to_pylist() == [[1, 2, None], None, [], [7]]
    assert elements('{a,"b \\"c\\\\",NULL,"NULL",""}') == ["a", 'b "c\\', None, "NULL", ""]
    assert elements("[2:3]={1,2}") == ["1", "2"]
    with pytest.raises(SourceError, match="more than one dimension"):
        column(["{{1},{2}}"], type_, arrow, "c")


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
    arrow = to_arrow_type(type_, timezone="UTC")
    texts = ["infinity", "-infinity", None]
    assert column(texts, type_, arrow, "c", "bounds").to_pylist() == [last, first, None]
    assert column(texts, type_, arrow, "c", "null").to_pylist() == [None, None, None]
    with pytest.raises(SourceError, match=r"column c has a value .* infinity \(see infinity="):
        column(texts, type_, arrow, "c", "error")
    listed = t.ArrayType(type_)
    made = column(["{infinity}"], listed, to_arrow_type(listed, timezone="UTC"), "c", "bounds")
    assert made.to_pylist() == [[last]]
