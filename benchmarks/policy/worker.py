"""One share of changed rows: a pipeline for each policy, in turn, in one process of its own."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from shared.process import tell
from shared.session import session

POLICIES = ("INCREMENTAL", "FULL", "AUTO")
ORDERS = "id bigint, customer bigint, amount bigint"
PEOPLE = "customer bigint, name string"
QUERIES = {
    "sums": "SELECT customer, count(*) n, sum(amount) s FROM t GROUP BY customer",
    "most": "SELECT customer, max(amount) m, count(DISTINCT amount) d FROM t GROUP BY customer",
    "join": "SELECT t.id, t.amount, c.name FROM t JOIN c ON t.customer = c.customer",
}


class Kept:
    """A view under one policy, with tables of its own."""

    def __init__(self, spark: SparkSession, place: Path, query: str, policy: str) -> None:
        self.spark, self.place, self.query = spark, str(place), query
        p = gs.pipeline(spark, self.place, partitions=4)
        self.orders = p.table("t", ORDERS, key="id")
        self.people = p.table("c", PEOPLE, key="customer")
        p.keep(self.orders).keep(self.people)
        self._views(self.orders.df, self.people.df)
        self.run = p.view("v", spark.sql(query), policy=policy).start()
        self.barriers: list[dict[str, Any]] = []

    def _views(self, orders: DataFrame | None, people: DataFrame | None) -> None:
        assert orders is not None
        assert people is not None
        orders.createOrReplaceTempView("t")
        people.createOrReplaceTempView("c")

    def take(self) -> None:
        self.run.processAllAvailable()
        last = self.run.lastProgress
        assert last is not None
        told = last["refresh"]["v"]
        self.barriers.append(
            {
                "rows": last["inputRows"],
                "millis": last["computeMillis"],
                "choice": told["choice"],
                "why": told["reason"],
            }
        )

    def is_right(self) -> bool:
        """Whether the view is what batch Spark computes over what the tables hold."""
        read = (gs.read_view(self.spark, self.place, name) for name in ("t", "c"))
        self._views(*read)
        wanted, found = self.spark.sql(self.query), self.run.view("v")
        return not wanted.exceptAll(found).count() and not found.exceptAll(wanted).count()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("query", choices=QUERIES)
    parser.add_argument("rows", type=int)
    parser.add_argument("share", type=float)
    parser.add_argument("barriers", type=int)
    args = parser.parse_args()
    spark = session("policy", {"spark.driver.memory": "3g"})
    rows, people = args.rows, max(1, args.rows // 20)
    changed = max(1, round(rows * args.share))
    with tempfile.TemporaryDirectory(prefix="policy-") as home:
        kept = {
            name: Kept(spark, Path(home) / name, QUERIES[args.query], name) for name in POLICIES
        }
        for each in kept.values():
            each.people.insert(
                spark.range(people).selectExpr("id customer", "concat('c', id) name")
            )
            each.run.processAllAvailable()
            made = ["id", f"id % {people} customer", "id * 31 % 9973 amount"]
            each.orders.insert(spark.range(rows).selectExpr(*made))
            each.run.processAllAvailable()
        for turn in range(args.barriers):
            made = [
                f"(id + {turn * 7919}) % {rows} id",
                f"(id * 7 + {turn}) % {people} customer",
                f"id * 13 % 9973 + {turn} amount",
            ]
            for each in kept.values():
                each.orders.upsert(spark.range(changed).selectExpr(*made))
                each.take()
                assert each.barriers[-1]["rows"] == changed, "one write, one barrier"
        result = {name: each.barriers for name, each in kept.items()}
        right = all(each.is_right() for each in kept.values())
        for each in kept.values():
            each.run.stop()
        spark.stop()
    tell({"barriers": result, "right": right})


if __name__ == "__main__":
    main()
