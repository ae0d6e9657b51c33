"""Every type of Spark out of Kafka's messages: bytes in, rows out, without a broker.

`tests/systems/test_types.py` sends the same messages to a real one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

import groundswell as gs
from groundswell.api.event_values import Reading
from groundswell.api.events import MALFORMED, Texts, debezium_rows, row_type, upsert_rows
from groundswell.sources.kafka import table_of
from incremental.harness import PLAIN, confs_of
from matrix import cells, kinds, messages
from matrix.kinds import Kind
from matrix.test_views import texts
from matrix.values import pairs
from sinks.conftest import session

__all__ = ["session"]

pytestmark = pytest.mark.rest

MESSAGES = "key binary, value binary, topic string, partition int, offset bigint"


@pytest.fixture
def spark(session: SparkSession) -> Iterator[SparkSession]:
    with kinds.with_times(session):
        yield session


def sent(spark: SparkSession, rows: list[messages.Message]) -> DataFrame:
    """Messages as Spark's Kafka source has them."""
    return spark.createDataFrame([(k, v, "t", 0, n) for n, (k, v) in enumerate(rows)], MESSAGES)


def schema_of(taken: list[Kind]) -> StructType:
    return row_type("t", ", ".join(["id bigint", *(f"{k.column} {k.type}" for k in taken)]))


def types_of(spark: SparkSession, taken: list[Kind]) -> dict[str, Any]:
    known = [k.column for k in taken if k.arrow]
    schema = spark.sql(messages.wide(taken)).select(*known).limit(0).toArrow().schema
    return {name: schema.field(name).type for name in known}


@pytest.mark.parametrize("form", messages.FORMATS)
def test_every_type_of_messages(spark: SparkSession, tmp_path: Path, form: str) -> None:
    taken = messages.written()
    with confs_of(spark, PLAIN):
        types = types_of(spark, taken)
        rows = messages.rows_of(spark, taken)
    made = [messages.message(row, taken, form, "id", types) for row in rows]
    sent(spark, made).coalesce(1).write.parquet(str(tmp_path / "in"))
    stream = spark.readStream.schema(MESSAGES).parquet(str(tmp_path / "in"))
    key = () if form == "json" else ("id",)
    p = gs.pipeline(spark, str(tmp_path / "p"))
    p.view("v", table_of(stream, form, schema_of(taken), key))
    run = p.start(availableNow=True)
    run.awaitTermination()
    want = messages.expected(spark, taken)
    assert texts(run.view("v").select(*want.columns)) == texts(want)
    cells.check(f"source kafka {form}", "value", {k.name: cells.EQUAL for k in taken})


@pytest.mark.parametrize("form", ["debezium", "upsert"])
def test_every_type_as_the_key_of_a_message(spark: SparkSession, form: str) -> None:
    """A row by a key that only the message's key has, and its deletion."""
    found: cells.Verdicts = {}
    where = Texts(F.col("value").cast("string"), F.col("key").cast("string"))
    for kind in messages.comparable():
        with confs_of(spark, PLAIN):
            types = types_of(spark, [kind])
            rows = [row for row in messages.rows_of(spark, [kind]) if row[kind.column] is not None]
        made = [messages.message(row, [kind], form, kind.column, types) for row in rows]
        made += [messages.deletion(made[0][0], form)]
        of = debezium_rows if form == "debezium" else upsert_rows
        row, key = schema_of([kind]), (kind.column,)
        got = of(sent(spark, made), where, row, key, Reading()).persist()
        assert got.where(F.col(MALFORMED).isNotNull()).collect() == []
        deletes = got.where("_groundswell_delete").select(F.lit(-1).alias("id"), kind.column)
        there = got.where("NOT _groundswell_delete").select("id", kind.column)
        want = messages.expected(spark, [kind]).where(f"{kind.column} IS NOT NULL")
        first = want.where(f"id = {rows[0]['id']}").select(F.lit(-1).alias("id"), kind.column)
        both, right = there.union(deletes), want.union(first)
        if kind.arrow:
            with confs_of(spark, PLAIN):
                a, b = both.toArrow(), right.toArrow()
            assert pairs(a["id"], a[kind.column]) == pairs(b["id"], b[kind.column]), kind.name
        else:
            assert texts(both) == texts(right), kind.name
        got.unpersist()
        found[kind.name] = cells.EQUAL
    cells.check(f"source kafka {form}", "key", found)


LOST = {
    "tinyint": (200, -129),
    "float": (1e300,),
    "timestamp": (1704164645678, "12:00", "+55972-10-29 20:14:38"),
    "timestamp_ntz": (1704164645678, "12:00"),
    "date": (3_000_000, "12:00"),
    "varchar(4)": ("abcde",),
    "char(4)": ("abcde",),
    "array<tinyint>": ([1, 200],),
    "struct<a: varchar(2)>": ({"a": "abc"},),
    "decimal(3,2)": ("x", 10),
}


@pytest.mark.parametrize("form", messages.FORMATS)
def test_a_value_that_a_column_does_not_hold_is_a_failing_row(
    spark: SparkSession, tmp_path: Path, form: str
) -> None:
    """A tinyint of 200 was -56, a number in a timestamp seconds, and lengths were not looked at."""
    columns = {f"c{n}": type_ for n, type_ in enumerate(LOST)}
    schema = row_type("t", ", ".join(["id int", *(f"{n} {t}" for n, t in columns.items())]))
    made: list[messages.Message] = []
    want = set()
    for name, values in zip(columns, LOST.values(), strict=True):
        for value in values:
            row = {"id": len(made), name: value}
            whole = {"op": "c", "before": None, "after": row} if form == "debezium" else row
            made.append((messages._bytes({"id": len(made)}), messages._bytes(whole)))
            want.add(name)
    good = {"id": 99, "c5": "ab      ", "c6": "a", "c7": [1, -128], "c8": {"a": "b"}}
    whole = {"op": "c", "before": None, "after": good} if form == "debezium" else good
    made.append((messages._bytes({"id": 99}), messages._bytes(whole)))
    sent(spark, made).coalesce(1).write.parquet(str(tmp_path / "in"))
    stream = spark.readStream.schema(MESSAGES).parquet(str(tmp_path / "in"))
    p = gs.pipeline(spark, str(tmp_path / "p"))
    table = table_of(stream, form, schema, () if form == "json" else ("id",))
    p.view("v", table, errors="divert")
    run = p.start(availableNow=True)
    run.awaitTermination()
    (kept,) = run.view("v").collect()
    assert (kept.id, kept.c5, kept.c6, kept.c7) == (99, "ab  ", "a   ", [1, -128])
    errors = [row.error for row in gs.read_view(spark, str(tmp_path / "p"), "v_diverted").collect()]
    assert len(errors) == len(made) - 1
    for name, type_ in columns.items():
        said = type_.replace(": ", ":")
        assert any(f"(column {name}: " in e and f" is not a valid {said}" in e for e in errors), (
            name,
            errors,
        )


def test_the_schema_beside_a_plain_row_says_what_its_numbers_count(
    spark: SparkSession, tmp_path: Path
) -> None:
    """As Kafka Connect's own sources write rows; they were read as seconds."""
    connect = "org.apache.kafka.connect.data."
    fields = [
        {"field": "id", "type": "int32"},
        {"field": "at", "type": "int64", "name": connect + "Timestamp"},
        {"field": "n", "type": "bytes", "name": connect + "Decimal", "parameters": {"scale": "2"}},
    ]
    whole = {
        "schema": {"type": "struct", "fields": fields},
        "payload": {"id": 1, "at": 1704164645678, "n": "MDk="},
    }
    row = row_type("t", "id int, at timestamp, n decimal(10,2)")
    for form, at in (("upsert", ("id",)), ("json", ())):
        message = (messages._bytes({"schema": {}, "payload": {"id": 1}}), messages._bytes(whole))
        sent(spark, [message]).coalesce(1).write.parquet(str(tmp_path / form / "in"))
        stream = spark.readStream.schema(MESSAGES).parquet(str(tmp_path / form / "in"))
        p = gs.pipeline(spark, str(tmp_path / form / "p"))
        p.view("v", table_of(stream, form, row, at))
        run = p.start(availableNow=True)
        run.awaitTermination()
        shown = run.view("v").selectExpr("id", "unix_micros(at)", "CAST(n AS STRING)")
        assert [tuple(r) for r in shown.collect()] == [(1, 1704164645678000, "123.45")]
