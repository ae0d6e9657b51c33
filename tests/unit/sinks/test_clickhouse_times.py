"""What the sink of ClickHouse sends for dates and times, and what it refuses to send."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pytest

import groundswell as gs
from groundswell.sinks.clickhouse_text import Encoder

NOW = (26, 9)
AT = pa.timestamp("us", "UTC")
CLOCK = pa.timestamp("us")


def sent(kind: str, value: Any, arrow: pa.DataType, version: tuple[int, ...] = NOW) -> Any:
    """What is sent for a value; raises what the sink raises before anything is sent."""
    encoder = Encoder({"k": "Int64", "t": kind}, "UTC", version, "`d`.`out`", ("k",))
    nulls = [None] if kind.startswith("Nullable") else []
    rows = pa.table({"k": [1, 7][-1 - len(nulls) :], "t": pa.array([*nulls, value], arrow)})
    encoder.check(rows)
    return json.loads(list(encoder.lines(rows, {}))[-1])["t"]


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


@pytest.mark.parametrize(
    ("kind", "value", "arrow", "text"),
    [
        ("DateTime64(6, 'UTC')", at(1900, 1, 1), AT, "1900-01-01 00:00:00.000000"),
        ("DateTime64(6, 'UTC')", at(1969, 12, 31, 23, 59, 59, 1), AT, "1969-12-31 23:59:59.000001"),
        ("DateTime64(6, 'UTC')", at(2024, 2, 29, 1, 2, 3, 4), AT, "1709168523.000004"),
        ("DateTime64(6, 'UTC')", at(2286, 11, 20, 17, 46, 40), AT, "2286-11-20 17:46:40.000000"),
        (
            "Nullable(DateTime64(6, 'UTC'))",
            at(2299, 12, 31, 23, 59, 59, 999_999),
            AT,
            "2299-12-31 23:59:59.999999",
        ),
        ("DateTime64(3, 'UTC')", at(2024, 2, 29, 1, 2, 3, 4000), AT, "1709168523.004"),
        ("DateTime64(9, 'UTC')", at(2024, 2, 29, 1, 2, 3, 4), AT, "1709168523.000004"),
        ("DateTime64(6)", datetime(2290, 1, 1), CLOCK, "2290-01-01 00:00:00.000000"),
        ("DateTime64(6, 'Asia/Tokyo')", at(2290, 1, 1), AT, "2290-01-01 09:00:00.000000"),
        ("DateTime64(6, 'Asia/Tokyo')", datetime(2024, 1, 1), CLOCK, "1704034800.000000"),
        ("DateTime('UTC')", at(1970, 1, 1), AT, "1970-01-01 00:00:00"),
        ("DateTime", at(2106, 2, 7, 6, 28, 15), AT, "4294967295"),
        ("DateTime", date(2024, 1, 1), pa.date32(), "1704067200"),
        ("DateTime64(3)", date(1900, 1, 1), pa.date32(), "1900-01-01 00:00:00.000"),
        ("Date", date(2149, 6, 6), pa.date32(), "2149-06-06"),
        ("Date32", date(1900, 1, 1), pa.date32(), "1900-01-01"),
        ("Date32", date(2299, 12, 31), pa.date32(), "2299-12-31"),
        (
            "Array(Nullable(Date32))",
            [date(2299, 12, 31), None],
            pa.list_(pa.date32()),
            ["2299-12-31", None],
        ),
        (
            "Array(Nullable(DateTime64(6, 'UTC')))",
            [at(2290, 1, 1)],
            pa.list_(AT),
            ["2290-01-01 00:00:00.000000"],
        ),
        ("String", at(1, 1, 1), AT, "0001-01-01T00:00:00+00:00"),
    ],
)
def test_what_a_column_can_hold_is_sent(kind: str, value: Any, arrow: Any, text: Any) -> None:
    assert sent(kind, value, arrow) == text


@pytest.mark.parametrize(
    ("kind", "value", "arrow", "message"),
    [
        ("DateTime64(6, 'UTC')", at(1, 1, 1), AT, r"0001-01-01 00:00:00.* in the row k = 7, "),
        (
            "DateTime64(6, 'UTC')",
            at(12, 1, 1),
            AT,
            "out of its range, 1900-01-01 00:00:00 to 2299-",
        ),
        ("DateTime64(6, 'UTC')", at(999, 1, 1), AT, "out of its range"),
        ("DateTime64(6, 'UTC')", at(1899, 12, 31, 23, 59, 59, 999_999), AT, "out of its range"),
        ("DateTime64(6, 'UTC')", at(2300, 1, 1), AT, "out of its range"),
        (
            "DateTime64(6, 'UTC')",
            at(9999, 12, 31),
            AT,
            "column t of table `d`.`out` is a DateTime64",
        ),
        ("DateTime64(6, 'UTC')", datetime(9999, 12, 31), CLOCK, "9999-12-31 00:00:00"),
        ("DateTime64(9, 'UTC')", at(2262, 4, 11, 23, 47, 17), AT, "out of its range"),
        ("DateTime('UTC')", at(1969, 12, 31, 23, 59, 59), AT, "1970-01-01 00:00:00 to 2106-02-07"),
        ("DateTime('UTC')", at(2106, 2, 7, 6, 28, 16), AT, r"06:28:15 \(UTC\)"),
        ("DateTime", date(2106, 2, 8), pa.date32(), "2106-02-08, in the row"),
        ("DateTime", at(2024, 1, 1, 0, 0, 0, 1), AT, r"more decimals .* \(no fraction\)"),
        ("DateTime64(3)", at(1960, 1, 1, 0, 0, 0, 1), AT, r"more decimals .* \(3 decimals\)"),
        ("Date", date(9999, 12, 31), pa.date32(), "9999-12-31.* 1970-01-01 to 2149-06-06"),
        ("Date", date(1969, 12, 31), pa.date32(), "out of its range"),
        ("Date32", date(2300, 1, 1), pa.date32(), "1900-01-01 to 2299-12-31"),
        ("Array(Date32)", [date(2024, 1, 1), date(1, 1, 1)], pa.list_(pa.date32()), "k = 7"),
        ("DateTime64(6, 'Europe/Berlin')", datetime(2024, 3, 31, 2, 30), CLOCK, "Berlin skip"),
        ("DateTime64(6, 'America/New_York')", at(1971, 10, 31, 5, 30), AT, "New_York show twice"),
    ],
)
def test_what_it_cannot_hold_is_named(kind: str, value: Any, arrow: Any, message: str) -> None:
    with pytest.raises(gs.SinkError, match=message):
        sent(kind, value, arrow)


@pytest.mark.parametrize(
    ("version", "kind", "year"),
    [
        ((22, 7), "DateTime64(6)", 1925),
        ((22, 8), "DateTime64(6)", 1900),
        ((20, 3), "DateTime64(6)", 1970),
    ],
)
def test_old_servers_hold_less(version: tuple[int, ...], kind: str, year: int) -> None:
    assert sent(kind, at(year, 1, 1), AT, version) == f"{year}-01-01 00:00:00.000000"
    with pytest.raises(gs.SinkError, match=f"range, {year}-01-01"):
        sent(kind, at(year - 1, 12, 31), AT, version)


def test_an_epoch_without_rows_is_no_error() -> None:
    encoder = Encoder({"t": "Date", "a": "Array(Date)"}, "UTC", NOW, "out", ())
    encoder.check(pa.schema({"t": pa.date32(), "a": pa.list_(pa.date32())}).empty_table())


@pytest.mark.parametrize(
    ("kind", "value", "arrow"),
    [
        ("Int64", None, pa.int64()),
        ("DateTime64(6, 'UTC')", None, AT),
        ("LowCardinality(String)", None, pa.string()),
        ("Array(Int64)", None, pa.list_(pa.int64())),
        ("Array(Int64)", [1, None], pa.list_(pa.int64())),
        ("Array(Array(Nullable(Int64)))", [[1], None], pa.list_(pa.list_(pa.int64()))),
    ],
)
def test_a_null_that_a_column_does_not_hold_is_named(
    kind: str, value: Any, arrow: pa.DataType
) -> None:
    """ClickHouse would store a zero or an empty text in its place."""
    with pytest.raises(gs.SinkRowRefused, match="holds no null, and the row k = 7 has one there"):
        sent(kind, value, arrow)


@pytest.mark.parametrize(
    "kind", ["Nullable(Int64)", "LowCardinality(Nullable(Int64))", "Dynamic", "JSON"]
)
def test_a_null_goes_into_a_column_that_holds_it(kind: str) -> None:
    assert sent(kind, None, pa.int64()) is None
