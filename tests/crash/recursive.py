"""Run as a script: recursive views over a graph whose edges change."""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import functions as F

import groundswell as gs
from crash.rivals import session

EDGE = "src long, dst long, length long"


def main(folder: Path, master: str, barriers: int, seed: int) -> None:
    packs = os.environ.get("GROUNDSWELL_PACKS", "")
    spark = session({"spark.master": master, "spark.groundswell.packs": packs})
    chance = random.Random(seed)
    p = gs.pipeline(spark, str(folder / "c"), partitions=3, retainEpochs=3, retireEvery=1)
    edges = p.table("edges", EDGE, key=["src", "dst"])
    starts = p.table("starts", "node long", key="node")
    p.keep(edges)
    p.keep(starts)

    def take(changes: Any, epoch: int) -> None:
        told = [[*row] for row in changes.collect()]
        (folder / f"far-{epoch}.json").write_text(json.dumps(told))

    far = gs.fixpoint(
        starts.df.select("node", F.lit(0).cast("long").alias("far")),
        lambda r: r.join(edges.df, r.node == edges.df.src).select("dst", r.far + edges.df.length),
        least="far",
    )
    p.view("far", far, foreachBatch=take)
    starts.upsert(spark.createDataFrame([(0,), (1,)], "node long"))
    run = p.start()
    for _ in range(barriers):
        made = {
            (a, b): (a, b, chance.randrange(1, 9), chance.random() < 0.4)
            for a, b in ((chance.randrange(15), chance.randrange(15)) for _ in range(20))
        }
        rows = spark.createDataFrame([*made.values()], f"{EDGE}, gone boolean")
        edges.change(rows, "gone")
        run.processAllAvailable()
    run.processAllAvailable()
    seen = sorted([*row] for row in run.view("far").collect())
    run.stop()
    there = gs.read_view(spark, str(folder / "c"), "edges").collect()
    (folder / "result.json").write_text(
        json.dumps({"seen": seen, "edges": [[*row] for row in there]})
    )
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
