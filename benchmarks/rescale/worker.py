"""A pipeline of some rows whose states get one number of partitions after the other."""

from __future__ import annotations

import argparse
import logging
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from shared.process import tell
from shared.session import peak_memory, session

SCHEMA = "id bigint, customer bigint, amount bigint, word string"
QUERIES = {
    "sums": "SELECT customer, count(*) n, sum(amount) s, max(amount) m FROM t GROUP BY customer",
    "words": "SELECT word, count(DISTINCT customer) n FROM t WHERE id % 10 = 0 GROUP BY word",
    "joined": "SELECT t.id, t.amount, c.name FROM t JOIN customers c ON t.customer = c.customer",
    "first": "SELECT id, word FROM (SELECT *, row_number() OVER (PARTITION BY customer ORDER BY "
    "amount, id) r FROM t) WHERE r <= 2",
}


def written(folder: Path) -> int:
    """Bytes of all files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


class Told(logging.Handler):
    """What the pipeline says of each rescale: bytes that its job wrote, and seconds it took."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[tuple[int, float]] = []

    def emit(self, record: logging.LogRecord) -> None:
        given: Any = record.args
        if isinstance(given, tuple) and "into %s partitions" in str(record.msg):
            self.written.append((int(given[2].replace(",", "")), float(given[4])))


def states(home: Path) -> list[Path]:
    """The folders of states, of all generations."""
    return [*home.glob("generation-*"), *home.glob("state")]


def equal(run: gs.IncrementalQuery, batch: dict[str, DataFrame]) -> bool:
    """Whether every view is what batch Spark makes of the tables."""
    for name, wanted in batch.items():
        found = run.view(name)
        if found.exceptAll(wanted).count() or wanted.exceptAll(found).count():
            return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", type=int)
    parser.add_argument("steps", help="numbers of partitions, as 2,8,3")
    args = parser.parse_args()
    steps = [int(each) for each in args.steps.split(",")]
    told_of = Told()
    logging.getLogger("groundswell").addHandler(told_of)
    logging.getLogger("groundswell").setLevel(logging.INFO)
    spark = session("rescale", {"spark.driver.memory": "3g"})
    with tempfile.TemporaryDirectory(prefix="rescale-") as home:
        place = Path(home) / "c"
        p = gs.pipeline(spark, str(place), partitions=steps[0], retainEpochs=2, retireEvery=1)
        table = p.table("t", SCHEMA, key="id")
        customers = p.table("customers", "customer bigint, name string", key="customer")
        table.df.createOrReplaceTempView("t")
        customers.df.createOrReplaceTempView("customers")
        for name, text in QUERIES.items():
            p.view(name, spark.sql(text))
        made = [
            "id",
            "pmod(hash(id), 5000) customer",
            "id * 31 % 999 amount",
            "concat(sha2(cast(id as string), 256), id % 20011) word",
        ]
        run = p.start()
        customers.insert(spark.range(5000).selectExpr("id customer", "concat('n', id) name"))
        part = 500_000
        for first in range(0, args.rows, part):
            table.insert(spark.range(first, min(args.rows, first + part)).selectExpr(*made))
            run.processAllAvailable()
        told: list[dict[str, Any]] = []
        for number, partitions in enumerate(steps[1:]):
            before = sum(written(folder) for folder in states(place / "groundswell"))
            begun = time.monotonic()
            run.rescale(partitions)
            seconds = time.monotonic() - begun
            wrote, job = told_of.written[-1]
            changes(spark, table, args.rows, number)
            begun = time.monotonic()
            run.processAllAvailable()
            told.append(
                {
                    "from": steps[number],
                    "to": partitions,
                    "before": before,
                    "written": wrote,
                    "job": job,
                    "seconds": seconds,
                    "barrier": time.monotonic() - begun,
                    "equal": equal(run, batch(spark, args.rows, made, number)),
                }
            )
        rows = sum(run.view(name).count() for name in QUERIES)
        peak = peak_memory(spark)
        run.stop()
        begun = time.monotonic()
        run = p.start()
        tell({"steps": told, "rows": rows, "peak": peak, "start": time.monotonic() - begun})
        run.stop()
    spark.stop()


def touched(rows: int, number: int) -> list[tuple[int, int, int, str]]:
    chance = random.Random(number)
    ids = {chance.randrange(rows) for _ in range(1000)}
    return [(i, chance.randrange(5000), chance.randrange(999), f"new{number}") for i in sorted(ids)]


def changes(spark: SparkSession, table: gs.Table, rows: int, number: int) -> None:
    """Some upserts, so that the new states are written to, too."""
    table.upsert(spark.createDataFrame(touched(rows, number), SCHEMA))


def batch(spark: SparkSession, rows: int, made: list[str], last: int) -> dict[str, DataFrame]:
    """What batch Spark makes of all that was written."""
    now = {row[0]: row for number in range(last + 1) for row in touched(rows, number)}
    upserts = spark.createDataFrame(list(now.values()), SCHEMA)
    all_rows = spark.range(rows).selectExpr(*made)
    frame = all_rows.join(upserts, "id", "left_anti").unionByName(upserts)
    frame.createOrReplaceTempView("t")
    names = spark.range(5000).selectExpr("id customer", "concat('n', id) name")
    names.createOrReplaceTempView("customers")
    return {name: spark.sql(text) for name, text in QUERIES.items()}


if __name__ == "__main__":
    main()
