"""Run as a script: a pipeline that gets another number of partitions, and may die in the middle."""

from __future__ import annotations

import json
import os
import random
import sys
import traceback
from collections import Counter
from pathlib import Path

import groundswell as gs
from crash.rivals import session

SCHEMA = "id bigint, k bigint, v bigint"
QUERIES = {
    "all": "SELECT * FROM t",
    "sums": "SELECT k, count(*) n, sum(v) s, count(DISTINCT v) d FROM t GROUP BY k",
    "pairs": "SELECT a.id, b.v FROM t a JOIN t b ON a.k = b.v",
}


def main(folder: Path, partitions: int, seed: int) -> None:
    spark = session({})
    chance = random.Random(seed)
    p = gs.pipeline(spark, str(folder / "c"), retainEpochs=2, retireEvery=1)
    table = p.table("t", SCHEMA, key="id")
    table.df.createOrReplaceTempView("t")
    for name, query in QUERIES.items():
        p.view(name, spark.sql(query))
    run = p.start()

    def change() -> None:
        made = [(i, chance.randrange(9), chance.randrange(9)) for i in range(60)]
        table.upsert(spark.createDataFrame(chance.sample(made, 30), SCHEMA))
        table.delete(spark.createDataFrame([(chance.randrange(60),)], "id bigint"))
        run.processAllAvailable()

    change()
    run.rescale(partitions)
    change()
    seen = run.snapshot()
    seen["all"].createOrReplaceTempView("t")
    bags = {
        name: [Counter(map(tuple, f.collect())) for f in (seen[name], spark.sql(query))]
        for name, query in QUERIES.items()
    }
    for _ in range(3):
        change()
    run.stop()
    homes = sorted(f.name for f in (folder / "c" / "groundswell").iterdir() if f.is_dir())
    result = {
        "equal": all(found == batch for found, batch in bags.values()),
        "rows": sum(len(found) for found, _ in bags.values()),
        "homes": homes,
    }
    (folder / "result.json").write_text(json.dumps(result))
    spark.stop()


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    except BaseException:  # noqa: BLE001 - whatever it is, it is told
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)  # the JVM is gone: nobody answers what would be asked at the end
