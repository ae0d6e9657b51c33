"""Run as a script: a pipeline whose views are recomputed; told so, it dies within a barrier."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import groundswell as gs
from crash.rivals import killer, session
from groundswell import jvm

SCHEMA = "id bigint, k bigint, v bigint"
QUERIES = {
    "sums": "SELECT k, count(*) n, sum(v) s, max(v) m FROM t GROUP BY k",
    "sizes": "SELECT n, count(*) c FROM sums GROUP BY n",
}


def die_at(spark: SparkSession, point: str, passage: int) -> None:
    """Kills both processes of this driver, at a passage of a point."""
    die = killer(spark)
    left = passage

    def hit(name: str) -> None:
        nonlocal left
        left -= name == point
        if name == point and not left:
            die()

    jvm.fail_points = lambda _: hit


def main(folder: Path, policy: str, barriers: int, seed: int, point: str, passage: int) -> None:
    spark = session({})
    if point:
        die_at(spark, point, passage)
    chance = random.Random(seed)
    p = gs.pipeline(spark, str(folder / "c"), partitions=2, retainEpochs=3, retireEvery=1)
    table = p.table("t", SCHEMA, key="id")
    p.keep(table)
    assert table.df is not None
    table.df.createOrReplaceTempView("t")
    for name, query in QUERIES.items():

        def take(changes: Any, epoch: int, name: str = name) -> None:
            told = [[*row] for row in changes.collect()]
            (folder / f"{name}-{epoch}.json").write_text(json.dumps(told))

        p.view(name, spark.sql(query), foreachBatch=take, policy=policy)
        p.read(name).createOrReplaceTempView(name)
    run = p.start()
    for _ in range(barriers):
        made = [
            (i, chance.randrange(9), chance.randrange(99)) for i in chance.sample(range(99), 40)
        ]
        table.upsert(spark.createDataFrame(made, SCHEMA))
        table.delete(spark.createDataFrame([(chance.randrange(99),)], "id bigint"))
        run.processAllAvailable()
    run.processAllAvailable()
    seen = {name: sorted([*row] for row in run.view(name).collect()) for name in QUERIES}
    run.stop()
    gs.read_view(spark, str(folder / "c"), "t").createOrReplaceTempView("t")
    right = {}
    for name, query in QUERIES.items():
        frame = spark.sql(query)
        frame.createOrReplaceTempView(name)
        right[name] = sorted([*row] for row in frame.collect())
    (folder / "result.json").write_text(json.dumps({"seen": seen, "right": right}))
    spark.stop()


if __name__ == "__main__":
    numbers = [int(number) for number in (sys.argv[3], sys.argv[4], sys.argv[6])]
    main(Path(sys.argv[1]), sys.argv[2], *numbers[:2], sys.argv[5], numbers[2])
