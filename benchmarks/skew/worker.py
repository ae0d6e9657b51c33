"""One pipeline with a top-N over a table, in a process of its own."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median

from pyspark.sql import functions as F

import groundswell as gs
from groundswell.runtime.planning import planned
from shared.process import tell
from shared.session import session

LIMIT = 100
COLUMNS = "id long, v long"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("stages", type=int)
    parser.add_argument("rows", type=int)
    parser.add_argument("changes", type=int)
    parser.add_argument("barriers", type=int)
    parser.add_argument("partitions", type=int)
    args = parser.parse_args()
    if args.stages == 1:
        planned.two_stages = lambda *_: frozenset()  # type: ignore[attr-defined]
    spark = session("skew", {"spark.driver.memory": "3g"})
    with tempfile.TemporaryDirectory(prefix="skew-") as home:
        place = str(Path(home) / "checkpoint")
        p = gs.pipeline(spark, place, partitions=args.partitions)
        table = p.table("items", COLUMNS, key="id")
        p.view("top", table.df.orderBy(F.desc("v"), "id").limit(LIMIT))

        def write(seed: int, count: int) -> None:
            ids = f"CAST(pmod(xxhash64(id, {seed}), {args.rows}) AS LONG)" if seed else "id"
            rows = spark.range(count).selectExpr(f"{ids} AS id", f"xxhash64(id, {seed} + 1) AS v")
            table.upsert(rows.dropDuplicates(["id"]))

        write(0, args.rows)
        run = p.start()
        began = time.perf_counter()
        run.processAllAvailable()
        filled = time.perf_counter() - began
        figures = defaultdict(list)
        for barrier in range(1, args.barriers + 1):
            write(barrier, args.changes)
            run.processAllAvailable()
            told = run.lastProgress
            tops = [o for o in told["operators"] if str(o.get("state", "")).startswith("top_n")]
            figures["millis"].append(told["barrierMillis"])
            figures["last"].append(tops[-1]["rowsIn"])
            figures["state"].append(tops[-1]["stateRows"])
            figures["micros"].append(tops[-1].get("ownMicros", 0))
            figures["all"].append(sum(o.get("ownMicros", 0) for o in tops))
        run.stop()
        tell({"filled": filled, **{name: median(found) for name, found in figures.items()}})


if __name__ == "__main__":
    main()
