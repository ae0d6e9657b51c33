"""Two tables, eight views over them, and the rows that the tables should have."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.window import Window

import groundswell as gs

ORDERS = "id int, customer int, kind int, price long"
CUSTOMERS = "customer int, region string"
KEYS = {"orders": 3000, "customers": 200}
CHANGES = 60

Views = dict[str, Callable[[DataFrame, DataFrame], DataFrame]]

VIEWS: Views = {
    "totals": lambda o, _: o.groupBy("customer").agg(F.sum("price").alias("total")),
    "joined": lambda o, c: o.join(c, "customer").select("id", "region", "price"),
    "regions": lambda o, c: (
        o.join(c, "customer").groupBy("region").agg(F.sum("price").alias("total"))
    ),
    "kinds": lambda o, c: (
        o.join(c, "customer").groupBy("region").agg(F.countDistinct("kind").alias("kinds"))
    ),
    "dearest": lambda o, _: o.orderBy(F.desc("price"), "id").limit(20),
    "firsts": lambda o, _: o.withColumn(
        "place", F.row_number().over(Window.partitionBy("customer").orderBy("price", "id"))
    ).where("place <= 2"),
    "all_customers": lambda o, c: (
        c.join(o, "customer", "left").groupBy("customer").agg(F.count("id").alias("orders"))
    ),
    "cheap": lambda o, _: o.where("price < 100").select("id", "kind"),
}
MORE: Views = {
    "extra": lambda o, c: o.join(c, "customer").groupBy("kind").agg(F.max("price").alias("most"))
}


class Shop:
    """The pipeline, and the rows of its tables as they were written."""

    def __init__(self, spark: SparkSession, location: Path, seed: int) -> None:
        self.spark, self.rng = spark, random.Random(seed)
        self.rows: dict[str, dict[int, tuple]] = {"orders": {}, "customers": {}}
        self.pipeline = gs.pipeline(spark, str(location), partitions=2, retainEpochs=20)
        self.tables = {
            "orders": self.pipeline.table("orders", ORDERS, key="id"),
            "customers": self.pipeline.table("customers", CUSTOMERS, key="customer"),
        }
        for name, of in VIEWS.items():
            self.pipeline.view(name, of(*self.frames()))

    def frames(self) -> tuple[DataFrame, DataFrame]:
        """The tables, as views read them."""
        return self.tables["orders"].df, self.tables["customers"].df

    def write(self) -> None:
        """Inserts, updates and deletes some rows of a table."""
        name = "orders" if self.rng.random() < 0.8 else "customers"
        rows, table = self.rows[name], self.tables[name]
        if rows and self.rng.random() < 0.3:
            gone = self.rng.sample(sorted(rows), min(CHANGES, len(rows)))
            schema = ORDERS if name == "orders" else CUSTOMERS
            table.delete(self.spark.createDataFrame([rows.pop(key) for key in gone], schema))
            return
        changed = {}
        for key in self.rng.sample(range(KEYS[name]), CHANGES):
            changed[key] = self._row(name, key)
        rows |= changed
        schema = ORDERS if name == "orders" else CUSTOMERS
        table.upsert(self.spark.createDataFrame(list(changed.values()), schema))

    def _row(self, name: str, key: int) -> tuple:
        rng = self.rng
        if name == "customers":
            return key, rng.choice("nesw")
        return key, rng.randrange(KEYS["customers"]), rng.randrange(9), rng.randrange(1000)

    def differing(self, views: Views) -> list[str]:
        """Names of the views that are not what batch Spark computes from the tables' rows."""
        frames = [
            self.spark.createDataFrame(list(self.rows["orders"].values()), ORDERS),
            self.spark.createDataFrame(list(self.rows["customers"].values()), CUSTOMERS),
        ]
        found = gs.read_views(self.spark, self.pipeline.program.location)

        def rows(frame: DataFrame) -> list[tuple]:
            return sorted(map(tuple, frame.collect()))

        return [name for name, of in views.items() if rows(found[name]) != rows(of(*frames))]
