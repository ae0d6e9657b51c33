"""One workload with one state store, in a process of its own; says as JSON what it measured."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import groundswell as gs
from queries.workload import SCHEMA, WORKLOADS

STATE = "org.apache.spark.sql.execution.streaming.state."
PROVIDERS = {
    "ours": "io.groundswell.EpochStateStoreProvider",
    "rocksdb": STATE + "RocksDBStateStoreProvider",
    "hdfs": STATE + "HDFSBackedStateStoreProvider",
}
MANAGER = "spark.sql.streaming.checkpointFileManagerClass"
OURS = "io.groundswell.GroundswellCheckpointFileManager"
WARM_UP = 3


def session(provider: str, mode: str) -> SparkSession:
    """As a user gets it, Spark's defaults stay for the others; else all have our file manager."""
    builder = SparkSession.builder.master("local[2]").appName("queries")
    confs = {
        "spark.driver.memory": "4g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.sql.streaming.stateStore.providerClass": PROVIDERS[provider],
    }
    if mode == "default" and provider != "ours":
        default = "org.apache.spark.sql.execution.streaming.checkpointing."
        confs[MANAGER] = default + "FileContextBasedCheckpointFileManager"
    for key, value in confs.items():
        builder = builder.config(key, value)
    return gs.configure(builder).getOrCreate()


def main(name: str, provider: str, mode: str, *folders: str) -> None:
    """Runs the query over all files, one a micro-batch."""
    spark = session(provider, mode)
    spark.sparkContext.setLogLevel("ERROR")
    workload = WORKLOADS[name]
    streams = [
        spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(folder)
        for folder in folders[: workload.streams]
    ]
    with tempfile.TemporaryDirectory(prefix="queries-") as checkpoint:
        query = (
            workload.build(streams)
            .writeStream.outputMode(workload.mode)
            .format("noop")
            .option("checkpointLocation", checkpoint)
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        batches = [p for p in query.recentProgress if p.numInputRows]
        last = batches[-1].stateOperators[0]
        said = {
            "rows": [p.numInputRows for p in batches][WARM_UP:],
            "millis": [p.durationMs["triggerExecution"] for p in batches][WARM_UP:],
            "state_rows": last.numRowsTotal,
            "state_memory": last.memoryUsedBytes,
            "state_bytes": sum(
                f.stat().st_size for f in Path(checkpoint, "state").rglob("*") if f.is_file()
            ),
            "peak_memory": peak_memory(spark),
        }
    print("RESULT " + json.dumps(said), flush=True)
    spark.stop()


def peak_memory(spark: SparkSession) -> int:
    """Bytes that the JVM's process has had in memory at most."""
    jvm: Any = spark.sparkContext._jvm
    status = Path(f"/proc/{jvm.java.lang.ProcessHandle.current().pid()}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
