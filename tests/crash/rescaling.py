"""Run as a script: a pipeline that gets another number of partitions, and may die in the middle."""

from __future__ import annotations

import json
import os
import random
import sys
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import groundswell as gs
from crash.rivals import session

SCHEMA = "id bigint, k bigint, v bigint"
QUERIES = {
    "all": "SELECT * FROM t",
    "sums": "SELECT k, count(*) n, sum(v) s, count(DISTINCT v) d FROM t GROUP BY k",
    "pairs": "SELECT a.id, b.v FROM t a JOIN t b ON a.k = b.v",
}


class Rescaled:
    """A pipeline over one table, whose views are compared with batch Spark."""

    def __init__(self, spark: SparkSession, folder: Path, seed: int, **options: Any) -> None:
        self._spark, self._chance = spark, random.Random(seed)
        p = gs.pipeline(spark, str(folder / "c"), retainEpochs=2, retireEvery=1, **options)
        self._table = p.table("t", SCHEMA, key="id")
        self._table.df.createOrReplaceTempView("t")
        for name, query in QUERIES.items():
            p.view(name, spark.sql(query))
        self.run = p.start()

    def change(self) -> None:
        chance = self._chance
        made = [(i, chance.randrange(9), chance.randrange(9)) for i in range(60)]
        self._table.upsert(self._spark.createDataFrame(chance.sample(made, 30), SCHEMA))
        self._table.delete(self._spark.createDataFrame([(chance.randrange(60),)], "id bigint"))
        self.run.processAllAvailable()

    def compare(self) -> dict[str, Any]:
        """Whether all views are right, and how many rows they have, equal ones as one."""
        seen = self.run.snapshot()
        seen["all"].createOrReplaceTempView("t")
        bags = [
            [Counter(map(tuple, f.collect())) for f in (seen[name], self._spark.sql(query))]
            for name, query in QUERIES.items()
        ]
        return {
            "equal": all(found == batch for found, batch in bags),
            "rows": sum(len(found) for found, _ in bags),
        }


def main(folder: Path, partitions: int, seed: int) -> None:
    spark = session({})
    life = Rescaled(spark, folder, seed)
    life.change()
    life.run.rescale(partitions)
    life.change()
    result = life.compare()
    for _ in range(3):
        life.change()
    life.run.stop()
    homes = sorted(f.name for f in (folder / "c" / "groundswell").iterdir() if f.is_dir())
    (folder / "result.json").write_text(json.dumps({**result, "homes": homes}))
    spark.stop()


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    except BaseException:  # noqa: BLE001 - whatever it is, it is told
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)  # the JVM is gone: nobody answers what would be asked at the end
