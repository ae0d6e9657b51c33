"""Run as a script: a pipeline is rescaled while Spark gives it executors and takes them away."""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from pyspark.sql import SparkSession

import groundswell as gs
from crash.rescaling import QUERIES, SCHEMA
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
    chance = random.Random(seed)
    p = gs.pipeline(spark, str(folder / "c"), partitions=2, retainEpochs=2, retireEvery=1)
    table = p.table("t", SCHEMA, key="id")
    table.df.createOrReplaceTempView("t")
    for name, query in QUERIES.items():
        p.view(name, spark.sql(query))
    run = p.start()
    steps = []

    def change(what: str) -> None:
        made = [(i, chance.randrange(9), chance.randrange(9)) for i in range(60)]
        table.upsert(spark.createDataFrame(chance.sample(made, 30), SCHEMA))
        table.delete(spark.createDataFrame([(chance.randrange(60),)], "id bigint"))
        run.processAllAvailable()
        seen = run.snapshot()
        seen["all"].createOrReplaceTempView("rows")
        bags = [
            [Counter(map(tuple, f.collect())) for f in (seen[name], spark.sql(of_rows(query)))]
            for name, query in QUERIES.items()
        ]
        steps.append(
            {
                "what": what,
                "executors": executors(spark),
                "rows": sum(found.total() for found, _ in bags),
                "equal": all(found == wanted for found, wanted in bags),
            }
        )

    change("started")
    for partitions, after in ((5, 3), (3, 7)):
        work = Work(spark)
        work.start()
        reached(spark, MOST)
        change("more executors")
        run.rescale(partitions)
        change(f"{partitions} partitions")
        work.over.set()
        work.join(LIMIT)
        reached(spark, 1)
        change("fewer executors")
        run.rescale(after)
        change(f"{after} partitions")
    run.stop()
    (folder / "result.json").write_text(json.dumps(steps))
    spark.stop()


def of_rows(query: str) -> str:
    """A view's query over what is in the table now."""
    return query.replace("FROM t", "FROM rows").replace("JOIN t", "JOIN rows")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
