"""Run as a script: a first load in parts; told so, it dies at one of its steps."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from crash.rivals import killer, session
from groundswell.runtime.barriers.runner import JvmRunner

SCHEMA = "id bigint, v bigint"
BEHIND = 99


def die_at(spark: SparkSession, step: int) -> None:
    """Kills both processes of this driver, at a step between two writes; 99: behind the load."""
    die = killer(spark)
    steps = 0

    def stepped(runner: JvmRunner, name: str) -> None:
        nonlocal steps
        steps += 1
        if steps == step or (name, step) == ("after_load", BEHIND):
            die()

    JvmRunner.fail_point = stepped  # type: ignore[method-assign]


def main(folder: Path, step: int) -> None:
    spark = session({})
    drop = folder / "drop"
    if not drop.exists():
        drop.mkdir()
        for i in range(6):
            ids = pa.array([i, i + 1, 50 + i], pa.int64())
            pq.write_table(pa.table({"id": ids, "v": ids}), drop / f"{i}.parquet")
    if step:
        die_at(spark, step)
    delivered = (folder / "delivered").open("a")

    def note(changes: DataFrame, epoch: int) -> None:
        rows = sorted([*row] for row in changes.select("k", "s", "_change_type").collect())
        delivered.write(json.dumps([epoch, rows]) + "\n")
        delivered.flush()

    def query(rows: DataFrame) -> DataFrame:
        return rows.groupBy((F.col("id") % 3).alias("k")).agg(F.sum("v").alias("s"))

    p = gs.pipeline(spark, str(folder / "c"), maxBarrierBytes=1)
    p.view("rows", spark.readStream.schema(SCHEMA).parquet(str(drop)))
    p.view("sums", query(p.read("rows")), foreachBatch=note)
    run = p.start(availableNow=True)
    run.awaitTermination()
    result: dict[str, Any] = {
        "view": sorted([*row] for row in run.view("sums").collect()),
        "batch": sorted([*row] for row in query(spark.read.parquet(str(drop))).collect()),
    }
    (folder / "result.json").write_text(json.dumps(result))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
