"""Run as a script: a pipeline is rescaled while Spark gives it executors and takes them away."""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path

from pyspark.sql import SparkSession

from crash.rescaling import Rescaled
from crash.rivals import session

MOST = 3
DYNAMIC = "spark.dynamicAllocation"
CONFS = {
    "spark.master": f"local-cluster[{MOST},1,1024]",
    "spark.executor.memory": "1g",
    f"{DYNAMIC}.enabled": "true",
    f"{DYNAMIC}.shuffleTracking.enabled": "true",
    f"{DYNAMIC}.shuffleTracking.timeout": "2s",
    f"{DYNAMIC}.executorIdleTimeout": "2s",
    f"{DYNAMIC}.initialExecutors": "1",
    f"{DYNAMIC}.minExecutors": "1",
    f"{DYNAMIC}.maxExecutors": str(MOST),
}
LIMIT = 120


def executors(spark: SparkSession) -> int:
    """How many there are now."""
    return int(spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size()) - 1


def reached(spark: SparkSession, wanted: int) -> None:
    until = time.monotonic() + LIMIT
    while executors(spark) != wanted:
        if time.monotonic() > until:
            raise SystemExit(f"{executors(spark)} executors, not {wanted}")
        time.sleep(0.1)


class Work(threading.Thread):
    """Tasks that wait, so that Spark asks for more executors."""

    def __init__(self, spark: SparkSession) -> None:
        super().__init__(daemon=True)
        self._spark, self.over = spark, threading.Event()

    def run(self) -> None:
        while not self.over.is_set():
            self._spark.sparkContext.parallelize(range(6), 6).foreach(lambda _: time.sleep(0.7))


def main(folder: Path, seed: int) -> None:
    spark = session(CONFS)
    life = Rescaled(spark, folder, seed, partitions=2)
    steps = []

    def step(what: str) -> None:
        life.change()
        steps.append({"what": what, "executors": executors(spark), **life.compare()})

    step("started")
    for partitions, after in ((5, 3), (3, 7)):
        work = Work(spark)
        work.start()
        reached(spark, MOST)
        step("more executors")
        life.run.rescale(partitions)
        step(f"{partitions} partitions")
        work.over.set()
        work.join(LIMIT)
        reached(spark, 1)
        step("fewer executors")
        life.run.rescale(after)
        step(f"{after} partitions")
    life.run.stop()
    (folder / "result.json").write_text(json.dumps(steps))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
