"""One workload with one state store, in a process of its own; says as JSON what it measured."""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

import groundswell as gs
from queries.workload import SCHEMA, WORKLOADS
from shared import process
from shared.session import Cpu, live_heap, peak_memory, session, size

OUR_MANAGER = "io.groundswell.GroundswellCheckpointFileManager"
STATE = "org.apache.spark.sql.execution.streaming.state."
PROVIDERS = {
    "ours": "io.groundswell.EpochStateStoreProvider",
    "rocksdb": STATE + "RocksDBStateStoreProvider",
    "hdfs": STATE + "HDFSBackedStateStoreProvider",
}
MANAGER = "spark.sql.streaming.checkpointFileManagerClass"
WARM_UP = 3
PARTS = ("latestOffset", "walCommit", "queryPlanning", "addBatch", "commitOffsets")


def confs_of(provider: str, mode: str) -> dict[str, str]:
    """As a user gets it, the others run on Spark alone; else on our file manager, too."""
    confs = {
        "spark.driver.memory": "4g",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.streaming.stateStore.providerClass": PROVIDERS[provider],
    }
    if mode == "same" and provider != "ours":
        confs |= {"spark.jars": str(gs.jar_path()), MANAGER: OUR_MANAGER}
    return confs


def main(name: str, provider: str, mode: str, *folders: str) -> None:
    """Runs the query over all files, one a micro-batch."""
    spark = session("queries", confs_of(provider, mode), ours=provider == "ours")
    cpu = Cpu(spark)
    workload = WORKLOADS[name]
    streams = [
        spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(folder)
        for folder in (folders[-1:] if workload.empty else folders[: workload.streams])
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
        batches = [p for p in query.recentProgress if p.numInputRows or workload.empty]
        last = batches[-1].stateOperators[0]
        warm_up = len(batches) // 2 if workload.empty else WARM_UP
        said = {
            "rows": [p.numInputRows for p in batches][warm_up:],
            "millis": [p.durationMs["triggerExecution"] for p in batches][warm_up:],
            "cpu_millis": cpu.of_batches(len(batches))[warm_up:],
            "parts": {
                part: statistics.median(p.durationMs.get(part, 0) for p in batches[warm_up:])
                for part in PARTS
            },
            "state_rows": last.numRowsTotal,
            "state_memory": last.memoryUsedBytes,
            "state_bytes": size(Path(checkpoint, "state")),
            "peak_memory": peak_memory(spark),
            "live_heap": live_heap(spark),
        }
    process.tell(said)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
