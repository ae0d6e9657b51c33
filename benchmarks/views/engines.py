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
    """

    seconds: float
    barriers: list[float]
    state: int


Engine = Callable[[SparkSession, Query, Path, Path], Run]


def ours(spark: SparkSession, query: Query, data: Path, work: Path) -> Run:
    """An incremental view, durable after each barrier."""
    streams(spark, query, data)
    checkpoint = work / "ours"
    began = time.perf_counter()
    run = (
        spark.sql(query.sql)
        .incremental()
        .writeStream.trigger(availableNow=True)
        .option("checkpointLocation", str(checkpoint))
        .toView("answer")
    )
    run.awaitTermination()
    seconds = time.perf_counter() - began
    return Run(seconds, durations(run._query), size(checkpoint / "groundswell" / "state"))


def native(spark: SparkSession, query: Query, data: Path, work: Path) -> Run:
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
    run.awaitTermination()
    seconds = time.perf_counter() - began
    return Run(seconds, durations(run), size(checkpoint / "state"))


def stateless_or_join(query: Query) -> bool:
    """Queries without aggregation: Spark refuses update mode for their joins."""
    return "GROUP BY" not in (query.native or query.sql)


def recompute(spark: SparkSession, query: Query, data: Path, work: Path) -> Run:  # noqa: ARG001
    """The query over everything so far, once for each barrier."""
    barriers = sorted(path.name for path in (data / query.sources[0]).iterdir())
    took = []
    began = time.perf_counter()
    for i in range(len(barriers)):
        start = time.perf_counter()
        so_far(spark, query, data, barriers[: i + 1])
        spark.sql(query.sql).write.format("noop").mode("overwrite").save()
        took.append(1000 * (time.perf_counter() - start))
    return Run(time.perf_counter() - began, took, 0)


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


def equal(spark: SparkSession, query: Query, data: Path, work: Path) -> bool:
    """Whether our view has the same rows as the query over all files."""
    for source in query.sources:
        spark.read.schema(SCHEMAS[source]).parquet(str(data / source)).createOrReplaceTempView(
            source
        )
    expected = rounded(spark.sql(query.sql))
    found = rounded(gs.read_view(spark, str(work / "ours"), "answer"))
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
