"""A view and its random life, in the test's process or in one of its own that is killed.

Run as ``python workload.py FOLDER APPEND_ONLY FORMAT OPTIONS``; every input file is one barrier.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path
from typing import Any

ORDERS = "id bigint, customer bigint, amount bigint, gone boolean"
BARRIERS = 5
CHANGING = """
    SELECT customer, count(*) n, sum(amount) / 2.0D total, max(concat('c', amount)) name
    FROM orders GROUP BY customer
"""
GROWING = """
    SELECT customer, amount n, amount / 2.0D total, concat('c', amount) name FROM orders
    WHERE NOT gone
"""


def some_orders(rng: random.Random) -> list[dict[str, Any]]:
    return [
        {
            "id": rng.randrange(40),
            "customer": rng.randrange(12),
            "amount": rng.randrange(100),
            "gone": rng.random() < 0.3,
        }
        for _ in range(15)
    ]


def put(folder: Path, number: int, rows: list[dict[str, Any]]) -> None:
    (folder / "orders").mkdir(exist_ok=True)
    path = folder / "orders" / f"{number:03d}.json"
    staged = folder / f"{number:03d}.staged"
    staged.write_text("".join(json.dumps(row) + "\n" for row in rows))
    os.utime(staged, (1e9 + number, 1e9 + number))  # Spark takes files by age
    staged.rename(path)


def prepare(folder: Path, seed: int, append_only: bool) -> None:
    rng = random.Random(seed)
    for number in range(BARRIERS):
        put(folder, number, some_orders(rng))


def expected(folder: Path, append_only: bool) -> list[tuple[Any, ...]]:
    """The view's rows, from the files in plain Python."""
    orders: dict[int, dict[str, Any]] = {}
    grown = []
    for path in sorted((folder / "orders").iterdir()):
        for order in map(json.loads, path.read_text().splitlines()):
            if not order["gone"]:
                amount = order["amount"]
                grown.append((order["customer"], amount, amount / 2, f"c{amount}"))
                orders[order["id"]] = order
            else:
                orders.pop(order["id"], None)
    if append_only:
        return sorted(grown)
    groups: dict[int, list[int]] = {}
    for order in orders.values():
        groups.setdefault(order["customer"], []).append(order["amount"])
    return sorted(
        (customer, len(of), sum(of) / 2, max(f"c{amount}" for amount in of))
        for customer, of in groups.items()
    )


class Life:
    """A pipeline over a folder of orders that grows."""

    def __init__(self, spark: Any, folder: Path, rng: random.Random, append_only: bool) -> None:
        self.spark, self.folder, self.rng, self.append_only = spark, folder, rng, append_only
        self.files = 0
        (folder / "orders").mkdir(exist_ok=True)

    def pipeline(self) -> Any:
        import groundswell as gs

        stream = (
            self.spark.readStream.schema(ORDERS)
            .option("maxFilesPerTrigger", 1)
            .json(str(self.folder / "orders"))
        )
        if self.append_only:
            source = gs.appends(stream, name="orders")
        else:
            source = gs.upserts(stream, key="id", delete="gone", name="orders")
        source.createOrReplaceTempView("orders")
        p = gs.pipeline(self.spark, str(self.folder / "checkpoint"))
        return p.view("v", self.spark.sql(GROWING if self.append_only else CHANGING))

    def change(self) -> None:
        put(self.folder, self.files, some_orders(self.rng))
        self.files += 1

    def expected(self) -> list[tuple[Any, ...]]:
        return expected(self.folder, self.append_only)


def text_of(options: dict[str, Any]) -> str:
    return json.dumps(options)


def session() -> Any:
    """Of a process that is killed."""
    from pyspark.sql import SparkSession

    import groundswell as gs

    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
    )
    return gs.configure(builder).getOrCreate()


def main(folder: Path, append_only: bool, kind: str, options: dict[str, Any]) -> None:
    spark = session()
    life = Life(spark, folder, random.Random(0), append_only)
    query = life.pipeline().sink("out", "v", kind, **options).start()
    query.processAllAvailable()
    query.stop()
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] == "True", sys.argv[3], json.loads(sys.argv[4]))
