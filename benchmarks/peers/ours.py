"""Our view, and what batch Spark says of the small input; see ``peers``."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamReader

import groundswell as gs
from peers import data
from peers.inputs import Input, Topics, parsed
from peers.queries import QUERIES, Query
from shared import kafka, process
from shared.session import peak_memory, session
from systems.jars import connector


def changes(spark: SparkSession, source: Input, name: str) -> DataFrame:
    """Events as a user of ours reads them."""
    if isinstance(source, Topics):
        return gs.kafka(
            spark, source.servers, source.of(name), "json",
            schema=schema(name), options=most(source, name),
        )  # fmt: skip
    return rows(spark.readStream, source, name)


def rows(reader: DataStreamReader | DataFrameReader, source: Input, name: str) -> DataFrame:
    """The same by Spark alone, as a stream or at once."""
    if isinstance(source, Topics):
        bound = most(source, name)
        return kafka.rows(reader, source.servers, source.of(name), schema(name), **bound)
    reader = reader.schema(schema(name)).option("maxFilesPerTrigger", 1)
    return reader.json(source.of(name))


def most(source: Topics, name: str) -> dict[str, Any]:
    """As many messages as a barrier has."""
    return {"maxOffsetsPerTrigger": source.barrier[name]}


def schema(name: str) -> str:
    return ", ".join(f"{column} {kind}" for column, kind in data.types(name).items())


def run(spark: SparkSession, query: Query, source: Input, checkpoint: Path) -> float:
    """Keeps the view, durable after each barrier; seconds."""
    for name in query.sources:
        changes(spark, source, name).createOrReplaceTempView(name)
    began = time.perf_counter()
    kept = spark.sql(query.sql).incremental()  # type: ignore[operator]
    view = kept.writeStream.trigger(availableNow=True)
    view.option("checkpointLocation", str(checkpoint)).toView("answer").awaitTermination()
    return time.perf_counter() - began


def read(spark: SparkSession, query: Query, source: Input, checkpoint: Path) -> float:
    """Spark's own micro-batches of the same events into nothing; seconds."""
    for name in query.sources:
        rows(spark.readStream, source, name).createOrReplaceTempView(name)
    began = time.perf_counter()
    into = spark.sql(query.reading).writeStream.format("noop").trigger(availableNow=True)
    into.option("checkpointLocation", str(checkpoint)).start().awaitTermination()
    return time.perf_counter() - began


def main(name: str, large: str, small: str, heap: str = "4g") -> None:
    """Runs the small input cold, the large one warm; prints what that took, and small answers.

    Without a small input: the large one cold.
    """
    confs = {"spark.driver.memory": heap}
    query, much, little = QUERIES[name], parsed(large), parsed(small)
    if isinstance(much, Topics):
        confs["spark.jars"] = connector()
    spark = session("peers", confs)
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        home = Path(folder)
        if not small:
            process.tell({"cold": run(spark, query, much, home / "large")})
            return
        cold = run(spark.newSession(), query, little, home / "small")
        warm = run(spark.newSession(), query, much, home / "large")
        memory = peak_memory(spark)
        read(spark.newSession(), query, little, home / "read-small")
        reading = read(spark.newSession(), query, much, home / "read-large")
        kept = gs.read_view(spark, f"{folder}/small", "answer").collect()
        for events in query.sources:
            rows(spark.read, little, events).createOrReplaceTempView(events)
        expected = spark.sql(query.sql).collect()
    process.tell(
        {
            "cold": cold,
            "seconds": warm,
            "reading": reading,
            "memory": memory,
            "answer": [list(row) for row in kept],
            "expected": [list(row) for row in expected],
        }
    )
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
