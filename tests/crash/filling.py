"""Run as a script: a pipeline to which a view is added; told so, it dies while that is filled."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import groundswell as gs
from crash.rivals import killer, session
from groundswell.runtime.backfill.fill import Fill
from groundswell.runtime.planning import unfilled as filling

SCHEMA = "id bigint, k bigint, v bigint"
QUERY = "SELECT k, count(*) n, sum(v) s, max(v) m FROM t GROUP BY k"


def die_at(spark: SparkSession, step: int) -> None:
    """Kills both processes of this driver, before a step of a fill."""
    die = killer(spark)
    steps = 0
    run = Fill._run

    def stepped(fill: Fill, *given: Any) -> None:
        nonlocal steps
        steps += 1
        if steps == step:
            die()
        run(fill, *given)

    Fill._run = stepped  # type: ignore[method-assign]


def main(folder: Path, step: int, seed: int) -> None:
    filling.PART_ROWS = 200
    spark = session({})
    chance = random.Random(seed)
    p = gs.pipeline(spark, str(folder / "c"), retainEpochs=3, retireEvery=1)
    table = p.table("t", SCHEMA, key="id")
    p.view("all", table.df)
    run = p.start()

    def change(rows: int) -> None:
        made = [(chance.randrange(2000), chance.randrange(9), chance.randrange(99))]
        made += [(chance.randrange(2000), chance.randrange(9), 5) for _ in range(rows)]
        table.upsert(spark.createDataFrame(made, SCHEMA))
        table.delete(spark.createDataFrame([(chance.randrange(2000),)], "id bigint"))
        run.processAllAvailable()

    change(1500)
    if step:
        die_at(spark, step)
    table.df.createOrReplaceTempView("t")
    run.addView("sums", spark.sql(QUERY))
    for _ in range(3):
        change(20)
    seen = run.snapshot()
    seen["all"].createOrReplaceTempView("t")
    result = {
        "view": sorted([*row] for row in seen["sums"].collect()),
        "batch": sorted([*row] for row in spark.sql(QUERY).collect()),
    }
    run.stop()
    left = sorted(f.name for f in (folder / "c" / "groundswell" / "state").iterdir())
    (folder / "result.json").write_text(json.dumps({**result, "left": left}))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
