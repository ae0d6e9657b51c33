"""A counting query under load on two executor processes, which others kill: see ``test_soak.py``.

``python load.py FOLDER plugin|plain``: runs over all files that are there, again and again, also
after failures, until ``FOLDER/enough`` is there and a run has reached the end of the files. The
result of each batch is compared with what is right; ``FOLDER/wrong`` tells of another. Each
failure's message is a line of ``failures.log``.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
JAR = ROOT / "python" / "groundswell" / "jars" / "groundswell.jar"
STATE = "spark.sql.streaming.stateStore."
CONFS = {
    "spark.master": "local-cluster[2,1,1024]",
    "spark.ui.enabled": "false",
    "spark.executor.memory": "768m",
    "spark.jars": str(JAR),
    "spark.deploy.maxExecutorRetries": "-1",  # executors die more often than Spark would bear
    "spark.task.maxFailures": "20",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.streaming.minBatchesToRetain": "3",  # so that clean-up is always at work
    STATE + "providerClass": "io.groundswell.EpochStateStoreProvider",
    STATE + "maintenanceInterval": "500ms",
    STATE + "groundswell.compactAtFiles": "2",
}
PLUGIN = {
    "spark.plugins": "io.groundswell.GroundswellPlugin",
    "spark.groundswell.sealedSize": "4m",
}
KEYS = 3_000
ROWS = 400
RETRIES = 500


def add_files(folder: Path, count: int, seed: int) -> None:
    """Appends input files; what is in them depends on the seed and their number alone."""
    source = folder / "in"
    source.mkdir(parents=True, exist_ok=True)
    for number in range(len(list(source.iterdir())), count):
        rng = random.Random(f"{seed}/{number}")
        rows = [{"k": rng.randrange(KEYS), "v": rng.randrange(100)} for _ in range(ROWS)]
        hidden = folder / "next.json"
        hidden.write_text("".join(json.dumps(row) + "\n" for row in rows))
        os.utime(hidden, (1e9 + number, 1e9 + number))  # Spark takes files by age
        hidden.rename(source / f"{number:05d}.json")


def files_until(folder: Path, epoch: int) -> int:
    """How many files the batches up to a planned one have read.

    One each as a rule; but where a driver dies after Spark has noted a file as the source's and
    before it has planned the batch, the next driver's batch has that file and one more.
    """
    planned = (folder / "checkpoint" / "offsets" / str(epoch)).read_text()
    return int(json.loads(planned.splitlines()[-1])["logOffset"]) + 1


class Expected:
    """What batch Spark would answer after so many files, in plain Python."""

    def __init__(self, folder: Path) -> None:
        self._source = folder / "in"
        self._files = 0
        self._groups: dict[int, list[int]] = {}

    def after(self, files: int) -> list[list[int]]:
        """The rows, sorted. The number of files never falls."""
        while self._files < files:
            path = self._source / f"{self._files:05d}.json"
            for row in map(json.loads, path.read_text().splitlines()):
                self._groups.setdefault(row["k"], [0, 0])
                self._groups[row["k"]][0] += 1
                self._groups[row["k"]][1] += row["v"]
            self._files += 1
        return sorted([key, *sums] for key, sums in self._groups.items())


def run(folder: Path, mode: str) -> None:
    from pyspark.errors import StreamingQueryException
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    builder = SparkSession.builder
    for key, value in {**CONFS, **(PLUGIN if mode == "plugin" else {})}.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()

    expected = Expected(folder)

    def sink(rows, epoch: int) -> None:
        result = sorted(list(row) for row in rows.collect())
        if result != expected.after(files_until(folder, epoch)):
            (folder / "wrong").write_text(f"batch {epoch} gives {result}")
            os._exit(1)
        (folder / "epoch").write_text(str(epoch))

    def query():
        source = spark.readStream.schema("k long, v long").option("maxFilesPerTrigger", 1)
        return (
            source.json(str(folder / "in"))
            .groupBy("k")
            .agg(F.count("*"), F.sum("v"))
            .writeStream.outputMode("complete")
            .trigger(availableNow=True)
            .option("checkpointLocation", str(folder / "checkpoint"))
            .foreachBatch(sink)
            .start()
        )

    failures = 0
    while failures < RETRIES:
        last = (folder / "enough").exists()
        try:
            query().awaitTermination()
        except StreamingQueryException as error:
            failures += 1
            with (folder / "failures.log").open("a") as log:
                log.write(str(error).replace("\n", " ")[:2000] + "\n")
        else:
            if last:
                break
            time.sleep(0.1)
    spark.stop()


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2])
