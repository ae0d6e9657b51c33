"""The two jobs: a running total by account, kept in a target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs

SCHEMA = "account bigint, seq bigint, amount bigint"


def totals(rows: DataFrame) -> DataFrame:
    """The query of both jobs."""
    return rows.groupBy("account").agg(
        F.count("*").alias("n"), F.sum("amount").alias("total"), F.max("seq").alias("seq")
    )


class Ours:
    """A view, and our sink: exactly once."""

    name = "groundswell"

    def __init__(
        self, spark: SparkSession, folder: Path, source: Any, target: Any, name: str
    ) -> None:
        p = gs.pipeline(spark, str(folder / name))
        p.view("totals", totals(source.changes(spark, SCHEMA)))
        p.sink("out", "totals", target.name, **target.options(), key="account")
        self.pipeline = p

    def start(self, trigger: str) -> None:
        self.run = self.pipeline.start(processingTime=trigger)

    def stop(self) -> None:
        self.run.stop()


class Native:
    """Spark's own aggregation and what writes it: not exactly once."""

    name = "spark"

    def __init__(
        self, spark: SparkSession, folder: Path, source: Any, target: Any, name: str
    ) -> None:
        self.location, self.target, self.source = str(folder / name), target, source
        self.rows = source.stream(spark, SCHEMA)

    def start(self, trigger: str) -> None:
        self.query = self.target.write(totals(self.rows), self.location, trigger, self.source)

    def stop(self) -> None:
        self.query.stop()
