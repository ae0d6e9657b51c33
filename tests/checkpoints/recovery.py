"""A query with much state on a storage that counts; each run is a process of its own.

``python recovery.py FOLDER TOOLS_JAR plugin|plain``: takes one file more than the run before;
prints as JSON what its batch read from the checkpoint.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyspark.sql import functions as F

import checkpoints.workload as workload

TEXT = 100


def add_rows(folder: Path, count: int, step: int) -> None:
    """Appends a file with every ``step``-th of so many keys; values do not compress."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    source = folder / "in"
    source.mkdir(parents=True, exist_ok=True)
    number = len(list(source.iterdir()))
    rng = np.random.default_rng(number)
    keys = np.arange(0, count, step, dtype=np.int64) * 7919 % count
    letters = rng.integers(97, 123, (len(keys), TEXT), dtype=np.uint8)
    texts = [row.tobytes().decode() for row in letters]
    pq.write_table(pa.table({"k": keys, "t": texts}), source / f"{number:03d}.parquet")


def main(folder: Path, tools: str, mode: str) -> None:
    confs = {
        **workload.PROVIDER,
        **(workload.PLUGIN if mode == "plugin" else {}),
        "spark.jars": f"{workload.JAR},{tools}",
        "spark.driver.memory": "1g",
        "spark.hadoop.fs.slow.impl": "io.groundswell.testing.FaultyFileSystem",
        "spark.hadoop.fs.slow.latency": "PUT=0",
    }
    spark = workload.session("local[2]", confs)
    spark.sparkContext.setLogLevel("ERROR")
    counters = spark._jvm.io.groundswell.testing.FaultyFileSystem.counters
    query = (
        spark.readStream.schema("k long, t string")
        .option("maxFilesPerTrigger", 1)
        .parquet(str(folder / "in"))
        .groupBy("k")
        .agg(F.count("*"), F.max("t"))
        .writeStream.outputMode("update")
        .format("noop")
        .trigger(availableNow=True)
        .option("checkpointLocation", f"slow:{folder}/checkpoint")
        .start()
    )
    query.awaitTermination()
    seen = dict(counters("slow"))
    state = query.lastProgress["stateOperators"][0]
    spark.stop()
    files = (folder / "checkpoint" / "state").rglob("*")
    size = sum(path.stat().st_size for path in files if path.is_file())
    print(
        json.dumps(
            {
                "read": seen.get("GET.bytes", 0),
                "gets": seen.get("GET", 0),
                "lists": seen.get("LIST", 0),
                "state": size,
                "live": state["customMetrics"]["groundswellFileBytes"],
                "rows": state["numRowsTotal"],
                "updated": state["numRowsUpdated"],
            }
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
