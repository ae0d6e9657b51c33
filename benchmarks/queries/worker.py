"""One workload with one state store, in a process of its own; says as JSON what it measured."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from queries.workload import SCHEMA, WORKLOADS
from shared import process
from shared.session import peak_memory, session, size

STATE = "org.apache.spark.sql.execution.streaming.state."
PROVIDERS = {
    "ours": "io.groundswell.EpochStateStoreProvider",
    "rocksdb": STATE + "RocksDBStateStoreProvider",
    "hdfs": STATE + "HDFSBackedStateStoreProvider",
}
MANAGER = "spark.sql.streaming.checkpointFileManagerClass"
WARM_UP = 3


def confs_of(provider: str, mode: str) -> dict[str, str]:
    """As a user gets it, Spark's defaults stay for the others; else all have our file manager."""
    confs = {
        "spark.driver.memory": "4g",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.streaming.stateStore.providerClass": PROVIDERS[provider],
    }
    if mode == "default" and provider != "ours":
        default = "org.apache.spark.sql.execution.streaming.checkpointing."
        confs[MANAGER] = default + "FileContextBasedCheckpointFileManager"
    return confs


def main(name: str, provider: str, mode: str, *folders: str) -> None:
    """Runs the query over all files, one a micro-batch."""
    spark = session("queries", confs_of(provider, mode))
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
            "state_bytes": size(Path(checkpoint, "state")),
            "peak_memory": peak_memory(spark),
        }
    process.tell(said)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
