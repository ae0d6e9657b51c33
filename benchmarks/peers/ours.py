"""Our view, and what batch Spark says of the small input; see ``peers``."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from pyspark.sql import SparkSession

import groundswell as gs
from peers import data
from peers.queries import QUERIES, Query
from shared import process
from shared.session import peak_memory, session


def run(spark: SparkSession, query: Query, folder: Path, checkpoint: Path) -> float:
    """Keeps the view, a file of each stream a barrier, durable after each; seconds."""
    for stream in query.sources:
        rows = spark.readStream.schema(schema(stream)).option("maxFilesPerTrigger", 1)
        rows.json(str(folder / stream)).createOrReplaceTempView(stream)
    began = time.perf_counter()
    view = spark.sql(query.sql).incremental().writeStream.trigger(availableNow=True)
    view.option("checkpointLocation", str(checkpoint)).toView("answer").awaitTermination()
    return time.perf_counter() - began


def schema(stream: str) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in data.types(stream).items())


def main(name: str, large: str, small: str) -> None:
    """Runs the small input cold, the large one warm; prints what that took, and small answers.

    Without a small input: the large one cold.
    """
    spark = session("peers", {"spark.driver.memory": "4g"})
    query = QUERIES[name]
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        if not small:
            process.tell({"cold": run(spark, query, Path(large), Path(folder) / "large")})
            return
        cold = run(spark.newSession(), query, Path(small), Path(folder) / "small")
        warm = run(spark.newSession(), query, Path(large), Path(folder) / "large")
        memory = peak_memory(spark)
        rows = gs.read_view(spark, f"{folder}/small", "answer").collect()
        for stream in query.sources:
            batch = spark.read.schema(schema(stream)).json(f"{small}/{stream}")
            batch.createOrReplaceTempView(stream)
        expected = spark.sql(query.sql).collect()
    process.tell(
        {
            "cold": cold,
            "seconds": warm,
            "memory": memory,
            "answer": [list(row) for row in rows],
            "expected": [list(row) for row in expected],
        }
    )
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
