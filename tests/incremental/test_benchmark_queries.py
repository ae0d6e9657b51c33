"""TPC-H's and Nexmark's questions as views, over inserts, updates and deletes, at every epoch."""

import math
import os
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import current_timestamp

import groundswell as gs
from nexmark import events
from nexmark.queries import QUERIES as NEXMARK
from tpch import tables
from tpch.queries import QUERIES as TPCH

pytestmark = pytest.mark.rest

SCALE = 0.0002
BARRIERS = 4
IN_EVERY_RUN = [("q2", "q5", "q13"), ("q15", "q18", "q22")]
IN_SOAK = [("q1", "q3", "q4", "q6"), ("q7", "q8"), ("q9", "q10"), ("q11", "q12", "q14"),
           ("q16", "q17"), ("q19", "q20"), ("q21",)]  # fmt: skip


def soaked(groups: Iterable[tuple[str, ...]]) -> list[Any]:
    return [pytest.param(group, marks=pytest.mark.soak) for group in groups]


def plain(value: Any) -> Any:
    """Doubles by nine digits: batch Spark sums them in another order."""
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.9g}")
    return value.normalize() if isinstance(value, Decimal) else value


def rows(frame: DataFrame) -> list[str]:
    return sorted(repr(tuple(plain(v) for v in row)) for row in frame.collect())


@pytest.fixture(scope="module")
def loads(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, pa.Table]]]:
    """TPC-H's tables as files of upserts, and the tables as they are after each."""
    folder = tmp_path_factory.mktemp("tpch")
    now: dict[str, dict[tuple[Any, ...], dict[str, Any]]] = {name: {} for name in tables.KEYS}
    states: list[dict[str, pa.Table]] = []
    whole = tables.generate(SCALE)
    for i, barrier in enumerate(tables.barriers(whole, BARRIERS)):
        for name, changes in barrier.items():
            path = folder / name / f"{i:03d}.parquet"
            path.parent.mkdir(exist_ok=True)
            pq.write_table(changes, path)
            os.utime(path, (1_700_000_000 + i, 1_700_000_000 + i))
            for row in changes.to_pylist():
                key = tuple(row[column] for column in tables.KEYS[name])
                if row.pop(tables.DELETED):
                    now[name].pop(key, None)
                else:
                    now[name][key] = row
        states.append(
            {
                name: pa.Table.from_pylist(list(kept.values()), whole[name].schema)
                for name, kept in now.items()
            }
        )
    return folder, states


@pytest.mark.parametrize("group", [*IN_EVERY_RUN, *soaked(IN_SOAK)], ids="-".join)
def test_tpch(
    spark: SparkSession,
    tmp_path: Path,
    loads: tuple[Path, list[dict[str, pa.Table]]],
    group: tuple[str, ...],
) -> None:
    folder, states = loads
    for name, key in tables.KEYS.items():
        schema = spark.read.parquet(str(folder / name)).schema
        stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        gs.upserts(
            stream.parquet(str(folder / name)), key=list(key), delete=tables.DELETED, name=name
        ).createOrReplaceTempView(name)
    pipeline = gs.pipeline(spark, str(tmp_path / "views"))
    for query in group:
        pipeline.view(query, spark.sql(TPCH[query]))
    pipeline.start(availableNow=True).awaitTermination()
    answers = 0
    for epoch, state in enumerate(states):
        for name, table in state.items():
            spark.createDataFrame(table).createOrReplaceTempView(name)
        for query in group:
            expected = rows(spark.sql(TPCH[query]))
            found = rows(gs.read_view(spark, str(tmp_path / "views"), query, epoch=epoch))
            assert found == expected, f"{query} at epoch {epoch}"
            answers += len(expected)
    assert answers > 0


NEXMARK_GROUPS = [("q4", "q7", "q19"), *soaked(
    [("q0", "q1", "q2", "q3", "q10", "q14", "q20", "q21", "q22"), ("q13",),
     ("q5", "q8", "q9"), ("q6", "q11"), ("q15", "q16", "q17", "q18", "totals")]
)]  # fmt: skip


@pytest.mark.parametrize("group", NEXMARK_GROUPS, ids="-".join)
def test_nexmark(spark: SparkSession, tmp_path: Path, group: tuple[str, ...]) -> None:
    data = tmp_path / "events"
    events.write(data, 3000, 3)
    for name, schema in events.SCHEMAS.items():
        stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        gs.appends(stream.parquet(str(data / name)), name=name).createOrReplaceTempView(name)
    pipeline = gs.pipeline(spark, str(tmp_path / "views"))
    for query in group:
        pipeline.view(query, spark.sql(NEXMARK[query].sql))
    pipeline.start(availableNow=True).awaitTermination()
    for epoch in range(3):
        for name, schema in events.SCHEMAS.items():
            files = [str(data / name / f"{i:05d}.parquet") for i in range(epoch + 1)]
            spark.read.schema(schema).parquet(*files).createOrReplaceTempView(name)
        for query in group:
            expected = rows(spark.sql(NEXMARK[query].sql))
            found = rows(gs.read_view(spark, str(tmp_path / "views"), query, epoch=epoch))
            assert found == expected, f"{query} at epoch {epoch}"
            assert expected or query in ("q2", "q8")


def test_nexmark_q12_counts_by_the_time_at_which_rows_came(
    spark: SparkSession, tmp_path: Path
) -> None:
    events.write(tmp_path / "events", 300, 3)
    stream = spark.readStream.schema(events.SCHEMAS["bid"]).option("maxFilesPerTrigger", 1)
    bids = stream.parquet(str(tmp_path / "events" / "bid")).withColumn("came", current_timestamp())
    gs.appends(bids, name="bid").createOrReplaceTempView("bid")
    q12 = """SELECT bidder, count(*) AS bids, window.start AS at
             FROM bid GROUP BY bidder, window(came, '10 seconds')"""
    pipeline = gs.pipeline(spark, str(tmp_path / "views"))
    pipeline.view("log", spark.sql("SELECT bidder, came FROM bid"))
    pipeline.view("q12", spark.sql(q12))
    pipeline.start(availableNow=True).awaitTermination()
    for epoch in range(3):
        log = gs.read_view(spark, str(tmp_path / "views"), "log", epoch=epoch)
        assert log.select("came").distinct().count() == epoch + 1
        log.createOrReplaceTempView("bid")
        found = gs.read_view(spark, str(tmp_path / "views"), "q12", epoch=epoch)
        assert rows(found) == rows(spark.sql(q12))
