"""One query under one engine: ours, Spark's own streaming, or the whole query again each time."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from nexmark.events import SCHEMAS
from nexmark.queries import Query
from shared.digest import digest
from shared.session import size

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"


class Run(NamedTuple):
    """What one engine did.

    Attributes:
        seconds: from the start of the query to its end.
        barriers: milliseconds of each barrier or micro-batch that had rows.
        state: bytes below the checkpoint that are the state's.
        done: barriers from the first one on; fewer than there are if the time was over before.
    """

    seconds: float
    barriers: list[float]
    state: int
    done: int


Engine = Callable[[SparkSession, Query, Path, Path, int], Run]
"""Takes a session, the query, its input, a folder to work in, and the seconds it may take."""


def ours(spark: SparkSession, query: Query, data: Path, work: Path, limit: int) -> Run:
    """An incremental view, durable after each barrier."""
    streams(spark, query, data)
    checkpoint = work / "ours"
    began = time.perf_counter()
    run = (
        spark.sql(query.sql)
        .incremental()  # type: ignore[operator]
        .writeStream.trigger(availableNow=True)
        .option("checkpointLocation", str(checkpoint))
        .toView("answer")
    )
    if not run.awaitTermination(limit):
        run.stop()
    seconds = time.perf_counter() - began
    last = run.lastProgress
    return Run(
        seconds,
        durations(run._query),
        size(checkpoint / "groundswell" / "state"),
        0 if last is None else last["epoch"] + 1,
    )


def native(spark: SparkSession, query: Query, data: Path, work: Path, limit: int) -> Run:
    """Structured Streaming, update mode, RocksDB's state store with changelog checkpoints."""
    spark.conf.set(PROVIDER, ROCKSDB)
    spark.conf.set("spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled", "true")
    streams(spark, query, data)
    checkpoint = work / "native"
    began = time.perf_counter()
    run = (
        spark.sql(query.native or query.sql)
        .writeStream.outputMode("append" if stateless_or_join(query) else "update")
        .trigger(availableNow=True)
        .option("checkpointLocation", str(checkpoint))
        .format("noop")
        .start()
    )
    if not run.awaitTermination(limit):
        run.stop()
    seconds = time.perf_counter() - began
    took = durations(run)
    return Run(seconds, took, size(checkpoint / "state"), len(took))


def stateless_or_join(query: Query) -> bool:
    """Queries without aggregation: Spark refuses update mode for their joins."""
    return "GROUP BY" not in (query.native or query.sql)


def recompute(spark: SparkSession, query: Query, data: Path, work: Path, limit: int) -> Run:  # noqa: ARG001
    """The query over everything so far, once for each barrier."""
    barriers = sorted(path.name for path in (data / query.sources[0]).iterdir())
    took = []
    began = time.perf_counter()
    for i in range(len(barriers)):
        start = time.perf_counter()
        so_far(spark, query, data, barriers[: i + 1])
        spark.sql(query.sql).write.format("noop").mode("overwrite").save()
        took.append(1000 * (time.perf_counter() - start))
        if time.perf_counter() - began > limit:
            break
    return Run(time.perf_counter() - began, took, 0, len(took))


ENGINES: dict[str, Engine] = {"ours": ours, "native": native, "recompute": recompute}


def streams(spark: SparkSession, query: Query, data: Path) -> None:
    """Temp views over the files, one file of each stream a barrier."""
    for source in query.sources:
        stream = (
            spark.readStream.schema(SCHEMAS[source])
            .option("maxFilesPerTrigger", 1)
            .parquet(str(data / source))
        )
        stream.createOrReplaceTempView(source)


def so_far(spark: SparkSession, query: Query, data: Path, files: list[str]) -> None:
    """Temp views over the first files of each stream."""
    for source in query.sources:
        paths = [str(data / source / name) for name in files]
        spark.read.schema(SCHEMAS[source]).parquet(*paths).createOrReplaceTempView(source)


def equal(spark: SparkSession, query: Query, data: Path, work: Path, done: int) -> bool:
    """Whether our view has, after ``done`` barriers, the rows of the query over their files."""
    barriers = sorted(path.name for path in (data / query.sources[0]).iterdir())
    so_far(spark, query, data, barriers[:done])
    expected = rounded(spark.sql(query.sql))
    found = rounded(gs.read_view(spark, str(work / "ours"), "answer", epoch=done - 1))
    return digest(expected) == digest(found)


def rounded(frame: DataFrame) -> DataFrame:
    """Doubles to six decimals: batch sums them in another order."""
    doubles = {name for name, kind in frame.dtypes if kind == "double"}
    return frame.selectExpr(
        *(f"round({n}, 6) AS {n}" if n in doubles else f"`{n}`" for n in frame.columns)
    )


def durations(query: Any) -> list[float]:
    """Milliseconds of the micro-batches that had rows, as Spark measured them."""
    return [float(p.durationMs["triggerExecution"]) for p in query.recentProgress if p.numInputRows]
