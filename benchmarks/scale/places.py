"""One cell on two executors: how many partitions are worked on where they are open.

In the middle one executor is killed, as by ``kill -9``. What is counted begins when its successor
has had a few barriers: how soon it comes is Spark's affair.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import groundswell as gs
from crash.processes import children, executors, kill
from heap.__main__ import CONFS
from shared.process import tell
from shared.session import pid, session

SETTLED = 10


def until(query: Any, epoch: int) -> None:
    """Waits for an epoch."""
    while (query.lastProgress or {"epoch": -1})["epoch"] < epoch:
        query.exception()
        time.sleep(0.05)


def share(barriers: list[dict[str, Any]]) -> dict[str, float]:
    """Of the barriers' writes."""
    written = sum(b.get("locality", {}).get("written", 0) for b in barriers)
    moved = sum(b.get("locality", {}).get("moved", 0) for b in barriers)
    return {
        "written": written,
        "hits": 1 - moved / written if written else 0.0,
        "millis": median(b["barrierMillis"] for b in barriers),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("partitions", type=int)
    parser.add_argument("views", type=int)
    parser.add_argument("barriers", type=int)
    args = parser.parse_args()
    master = {"spark.master": "local-cluster[2,1,1024]"}
    spark = session("places", {**CONFS, **master, "spark.groundswell.cacheSize": "64m"})
    with tempfile.TemporaryDirectory(prefix="places-") as folder:
        numbers = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1000).load()
        changed = numbers.selectExpr("value * 7 % 10000 AS id", "value % 500 AS kind", "value")
        table = gs.upserts(changed, key="id", name="items")
        p = gs.pipeline(spark, str(Path(folder) / "checkpoint"), partitions=args.partitions)
        for number in range(args.views):
            p.view(f"v{number}", table.groupBy((table.kind + number).alias("kind")).count())
        p.view("total", table.selectExpr("count(*) n", "sum(value) s"))
        query = p.start(processingTime="0 seconds")
        try:
            until(query, SETTLED + args.barriers)
            steady = share(query.recentProgress[SETTLED:])
            victim = executors(pid(spark))[0]
            kill(victim, *children(victim))
            begun = query.lastProgress["epoch"]
            until(query, begun + SETTLED)
            while len(executors(pid(spark))) < 2:
                time.sleep(0.1)
            settled = query.lastProgress["epoch"] + SETTLED
            until(query, settled + args.barriers)
            after = share([b for b in query.recentProgress if b["epoch"] > settled])
            # What the table has, all views must count.
            epoch = query.lastProgress["epoch"]
            query.stop()
            totals = {
                name: gs.read_view(spark, f"{folder}/checkpoint", name)
                .selectExpr("sum(count)" if name != "total" else "n")
                .head()[0]
                for name in ("v0", "total")
            }
        finally:
            query.stop()
    spark.stop()
    tell({"steady": steady, "after": after, "epoch": epoch, "totals": totals})


if __name__ == "__main__":
    main()
