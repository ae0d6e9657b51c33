"""Keys of Kafka's messages in each form that a converter gives them, and keys that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell.api.event_values import Reading
from groundswell.api.events import MALFORMED, Texts, debezium_rows, row_type, upsert_rows
from groundswell.sources.kafka import table_of

MESSAGES = "key binary, value binary, topic string, partition int, offset bigint"
FRAMED = b"\x00\x00\x00\x00\x07\x02a"
"""A key as an encoder with a schema registry writes it."""


def sent(spark: SparkSession, *messages: tuple[bytes | None, Any]) -> DataFrame:
    """Messages as Spark's Kafka source has them; values are written as JSON."""
    values = [None if v is None else json.dumps(v).encode() for _, v in messages]
    rows = [(k, v, "t", 0, n) for n, ((k, _), v) in enumerate(zip(messages, values, strict=True))]
    return spark.createDataFrame(rows, MESSAGES)


def read(df: DataFrame, form: str = "upsert", columns: str = "id string, n int") -> list[Row]:
    texts = Texts(F.col("value").cast("string"), F.col("key").cast("string"))
    of = upsert_rows if form == "upsert" else debezium_rows
    return of(df, texts, row_type("t", columns), ("id",), Reading()).collect()


def test_a_key_of_one_text_is_read(session: SparkSession) -> None:
    """1e5 became 100000.0."""
    read_as = {
        b'{"id": "a"}': "a",
        b'{"schema": {}, "payload": {"id": "a"}}': "a",
        b'"a"': "a",
        b"a": "a",
        b"a b": "a b",
        b"007": "007",
        b"1e5": "1e5",
        b"null": "null",
        b'"': '"',
    }
    rows = read(sent(session, *((key, {"n": 1}) for key in read_as)).coalesce(1))
    assert [row.id for row in rows] == list(read_as.values())
    assert {(row.n, row[MALFORMED]) for row in rows} == {(1, None)}


@pytest.mark.rest
def test_a_key_of_another_converter_is_no_key(session: SparkSession) -> None:
    """Its text stood in the key's column, and a deletion deleted nothing."""
    keys = [b"Struct{id=a}", FRAMED, b"\x00\x00\x00\x00\x00\x00\x00\x01"]
    rows = read(sent(session, *((key, {"id": "a", "n": 1}) for key in keys)))
    assert {(row.id, row.n, row[MALFORMED]) for row in rows} == {("a", 1, None)}
    event = {"op": "d", "before": None, "after": None}
    for form, value in (("upsert", None), ("debezium", event)):
        rows = read(sent(session, *((key, value) for key in keys)).coalesce(1), form)
        assert [row.id for row in rows] == [None] * len(keys)
        for row, key in zip(rows, keys, strict=True):
            assert "a message whose key cannot be read, " + key.decode() in row[MALFORMED]


@pytest.mark.rest
def test_a_key_that_its_row_contradicts_is_a_failing_row(
    session: SparkSession, tmp_path: Path
) -> None:
    """The row came under the key of its message; it takes the place of neither row."""
    good = [(b"1", {"id": 1, "n": 10}), (b"2", {"id": 2, "n": 20}), (b"4", {"id": None, "n": 40})]
    bad = [(b"1", {"id": 2, "n": 99}), (b"3", {"id": 2, "n": 99})]
    sent(session, *good, *bad).coalesce(1).write.parquet(str(tmp_path / "in"))
    stream = session.readStream.schema(MESSAGES).parquet(str(tmp_path / "in"))
    p = gs.pipeline(session, str(tmp_path / "p"))
    table = table_of(stream, "upsert", row_type("t", "id int, n int"), ("id",))
    run = p.view("v", table, errors="divert").start(availableNow=True)
    run.awaitTermination()
    assert {tuple(r) for r in run.view("v").collect()} == {(1, 10), (2, 20), (4, 40)}
    errors = gs.read_view(session, str(tmp_path / "p"), "v_diverted").collect()
    assert len(errors) == len(bad)
    for row in errors:
        assert "a message whose key has another value of column id than its row, " in row.error


@pytest.mark.rest
@pytest.mark.parametrize(
    ("of", "key", "value"),
    [
        ("double", b"1", 1.0),
        ("decimal(10,2)", b"1.5", 1.50),
        ("char(4)", b'"ab"', "ab  "),
        ("date", b"19724", "2024-01-02"),
        ("timestamp", b'"2024-01-02T03:04:05Z"', "2024-01-02T04:04:05+01:00"),
        ("boolean", b"true", True),
    ],
)
def test_a_key_and_its_row_are_compared_as_values(
    session: SparkSession, of: str, key: bytes, value: Any
) -> None:
    """Not as texts: both are one value, written in two ways."""
    (row,) = read(sent(session, (key, {"id": value, "n": 1})), columns=f"id {of}, n int")
    assert row[MALFORMED] is None
    assert row.n == 1
