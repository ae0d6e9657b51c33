"""One query: a view is added to a pipeline at work, in a process of its own.

Another view is there already, and small writes come all the time. Each barrier is noted with when
it was published; what rows wait for is the time between two of them.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
import time
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from shared.barriers import after_each
from shared.process import tell
from shared.session import live_heap, peak_memory, session

SCHEMA = "id bigint, customer bigint, amount bigint, word string"
QUERIES = {
    "filter": "SELECT id, amount FROM t WHERE amount % 2 = 0",
    "sums": "SELECT customer, count(*) n, sum(amount) s FROM t GROUP BY customer",
    "words": "SELECT word, count(*) n, max(amount) m FROM t GROUP BY word",
    "join": "SELECT t.id, t.amount, c.name FROM t JOIN customers c ON t.customer = c.customer",
}


def schema(more: int) -> str:
    """Of the table, with so many columns that no view reads."""
    return ", ".join([SCHEMA, *(f"x{i} string" for i in range(more))])


class Writes:
    """A few upserts and a delete every so often."""

    def __init__(
        self, spark: SparkSession, table: gs.Table, rows: int, pause: float, more: int
    ) -> None:
        self._spark, self._table, self._rows, self._pause = spark, table, rows, pause
        self._more = more
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def _write(self) -> None:
        chance = random.Random(1)
        while not self._over.wait(self._pause):
            ids = [chance.randrange(self._rows) for _ in range(100)]
            changed = [
                (i, chance.randrange(1000), chance.randrange(999), *["new"] * (1 + self._more))
                for i in set(ids)
            ]
            self._table.upsert(self._spark.createDataFrame(changed, schema(self._more)))

    def end(self) -> None:
        self._over.set()
        self._thread.join()


def published(barrier: dict[str, Any]) -> float:
    return datetime.fromisoformat(barrier["timestamp"]).timestamp()


def batch(spark: SparkSession, query: str, frames: dict[str, DataFrame], folder: str) -> float:
    """Seconds that batch Spark takes for the query over files, and to write what it gives."""
    for name, frame in frames.items():
        frame.write.parquet(f"{folder}/{name}")
        spark.read.parquet(f"{folder}/{name}").createOrReplaceTempView(name)
    seconds = []
    for turn in range(3):
        begun = time.monotonic()
        spark.sql(QUERIES[query]).write.parquet(f"{folder}/out{turn}")
        seconds.append(time.monotonic() - begun)
    return min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("query", choices=QUERIES)
    parser.add_argument("rows", type=int)
    parser.add_argument("partitions", type=int)
    parser.add_argument("seconds", type=float)
    parser.add_argument("pause", type=float)
    parser.add_argument("more", type=int)
    args = parser.parse_args()
    confs = {"spark.driver.memory": "3g", "spark.scheduler.mode": "FAIR"}
    spark = session("filling", confs)
    with tempfile.TemporaryDirectory(prefix="filling-") as home:
        place = str(Path(home) / "c")
        p = gs.pipeline(spark, place, partitions=args.partitions)
        table = p.table("t", schema(args.more), key="id")
        customers = p.table("customers", "customer bigint, name string", key="customer")
        p.view("by_amount", table.df.groupBy("amount").count())
        p.view("names", customers.df)
        made = ["id", "id % 1000 customer", "id * 31 % 999 amount", "concat('w', id % 20011) word"]
        made += [f"concat('some text ', id * {i + 7} % 1013) x{i}" for i in range(args.more)]
        table.insert(spark.range(args.rows).selectExpr(*made))
        customers.insert(spark.range(1000).selectExpr("id customer", "concat('n', id) name"))
        barriers: list[dict[str, Any]] = []
        after_each(barriers.append)
        run = p.start()
        run.processAllAvailable()
        table.df.createOrReplaceTempView("t")
        customers.df.createOrReplaceTempView("customers")
        frame = spark.sql(QUERIES[args.query])
        small = spark.sql("SELECT amount, customer FROM t WHERE id = 0")
        run.addView("warm", small)  # what a first call loads and compiles is not a part of it
        run.dropView("warm")
        writes = Writes(spark, table, args.rows, args.pause, args.more)
        time.sleep(args.seconds)
        heap = live_heap(spark)
        begun = time.time()
        time.sleep(args.seconds)
        from_, first = time.time(), len(barriers)
        run.addView("added", frame)
        to, last = time.time(), len(barriers)
        time.sleep(args.seconds)
        writes.end()
        run.processAllAvailable()
        count = run.view("added").count()
        peak = peak_memory(spark)
        run.stop()
        rows = spark.range(args.rows).selectExpr(*made)
        names = spark.range(1000).selectExpr("id customer", "concat('n', id) name")
        alone = batch(spark, args.query, {"t": rows, "customers": names}, home)
        times = [
            {"at": published(b), "millis": b["barrierMillis"], "fresh": b["freshnessMillis"]}
            for b in barriers
        ]
        tell(
            {
                "before": [b for b in times[:first] if b["at"] >= begun],
                "while": times[first : last + 1],
                "gap": max(
                    b["at"] - a["at"]
                    for a, b in pairwise(times[first - 1 : last + 2])
                    if b["at"] >= from_
                ),
                "seconds": to - from_,
                "alone": alone,
                "rows": count,
                "heap": heap,
                "peak": peak,
            }
        )
    spark.stop()


if __name__ == "__main__":
    main()
