"""One cell: a query on a checkpoint folder whose every operation is slow; prints what it cost.

``python -m checkpoints.worker STORE PARTITIONS BATCHES WARMUP LATENCY`` tells what it measured.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from shared.process import tell

ROOT = Path(__file__).resolve().parents[2]
JARS = (
    ROOT / "python" / "groundswell" / "jars" / "groundswell.jar",
    ROOT / "build" / "groundswell-test-tools.jar",
)
STATE = "spark.sql.streaming.stateStore."
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
OURS = "io.groundswell.EpochStateStoreProvider"
STORES: dict[str, dict[str, str]] = {
    "RocksDB": {STATE + "providerClass": ROCKSDB},
    "RocksDB, changelog": {
        STATE + "providerClass": ROCKSDB,
        STATE + "rocksdb.changelogCheckpointing.enabled": "true",
    },
    "ours": {STATE + "providerClass": OURS},
    "ours, plugin": {
        STATE + "providerClass": OURS,
        "spark.plugins": "io.groundswell.GroundswellPlugin",
    },
}
# The same aggregation over each file as a batch query: what the tasks cost without any state.
NO_STATE = "no state"
ROWS = 2_000
KEYS = 20_000


def session(store: str, partitions: int, latency: str) -> SparkSession:
    confs = {
        "spark.master": "local[2]",
        "spark.driver.memory": "2g",
        "spark.ui.enabled": "false",
        "spark.jars": ",".join(map(str, JARS)),
        "spark.sql.shuffle.partitions": str(partitions),
        "spark.hadoop.fs.slow.impl": "io.groundswell.testing.FaultyFileSystem",
        "spark.hadoop.fs.slow.latency": latency,
        **STORES.get(store, {}),
    }
    builder = SparkSession.builder
    for key, value in confs.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def objects(state: Path) -> dict[str, int]:
    """How many state objects of each kind there are."""
    kinds: dict[str, int] = {}
    for path in state.rglob("*"):
        if path.is_file() and not path.name.startswith("."):
            kinds[path.suffix] = kinds.get(path.suffix, 0) + 1
    return kinds


def without_state(partitions: int, batches: int, warmup: int, latency: str) -> list[int]:
    """Milliseconds of each batch query, in order of time taken."""
    rng = random.Random(partitions)
    spark = session(NO_STATE, partitions, latency)
    # As for a stateful operator, partitions are as many as were asked for.
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    measured = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        for batch in range(batches + warmup):
            path = Path(name) / f"{batch:03d}.json"
            path.write_text(text(rng, batch))
            start = time.monotonic()
            rows = spark.read.schema("k long, v long").json(str(path))
            counts = rows.groupBy("k").agg(F.count("*"), F.sum("v"))
            counts.write.format("noop").mode("append").save()
            if batch >= warmup:
                measured.append(round((time.monotonic() - start) * 1000))
        spark.stop()
    return sorted(measured)


def text(rng: random.Random, batch: int) -> str:
    """The input of one batch."""
    rows = ({"k": rng.randrange(KEYS), "v": batch} for _ in range(ROWS))
    return "".join(json.dumps(row) + "\n" for row in rows)


def main(store: str, partitions: int, batches: int, warmup: int, latency: str) -> None:
    if store == NO_STATE:
        measured = without_state(partitions, batches, warmup, latency)
        found = {"batchMillis": measured, "recordMillis": [], "operations": {}, "objects": {}}
        tell(found)
        return
    rng = random.Random(partitions)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        source = folder / "in"
        source.mkdir()
        spark = session(store, partitions, latency)
        counters = spark._jvm.io.groundswell.testing.FaultyFileSystem.counters
        query = (
            spark.readStream.schema("k long, v long")
            .json(str(source))
            .groupBy("k")
            .agg(F.count("*"), F.sum("v"))
            .writeStream.outputMode("update")
            .format("noop")
            .option("checkpointLocation", f"slow:{folder}/checkpoint")
            .start()
        )
        measured, recorded = [], []
        before: dict[str, int] = {}
        kinds: dict[str, int] = {}
        for batch in range(batches + warmup):
            (folder / "next.json").write_text(text(rng, batch))
            (folder / "next.json").rename(source / f"{batch:03d}.json")
            query.processAllAvailable()
            if batch == warmup - 1:
                before = dict(counters("slow"))
                kinds = objects(folder / "checkpoint" / "state")
            if batch >= warmup:
                millis = query.lastProgress["durationMs"]
                measured.append(millis["triggerExecution"])
                recorded.append(millis["commitOffsets"])
        after = dict(counters("slow"))
        new = objects(folder / "checkpoint" / "state")
        query.stop()
        spark.stop()
    operations = {op: (after[op] - before.get(op, 0)) / batches for op in after}
    made = {kind: (new[kind] - kinds.get(kind, 0)) / batches for kind in new}
    found = {"batchMillis": sorted(measured), "recordMillis": sorted(recorded)}
    tell({**found, "operations": operations, "objects": made})


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
