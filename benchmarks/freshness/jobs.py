"""The two jobs: a running total by account, kept in a table of Postgres."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs

SCHEMA = "account bigint, seq bigint, amount bigint"
TABLE = "CREATE TABLE {name} (account bigint PRIMARY KEY, n bigint, total bigint, seq bigint)"
UPSERT = """
    INSERT INTO {name} SELECT * FROM fresh ON CONFLICT (account)
    DO UPDATE SET n = excluded.n, total = excluded.total, seq = excluded.seq
"""


def totals(rows: DataFrame) -> DataFrame:
    """The query of both jobs."""
    return rows.groupBy("account").agg(
        F.count("*").alias("n"), F.sum("amount").alias("total"), F.max("seq").alias("seq")
    )


class Ours:
    """A view, and the sink of Postgres: exactly once."""

    name = "groundswell"

    def __init__(self, spark: SparkSession, folder: Path, source: Any, table: str) -> None:
        self.table = table
        p = gs.pipeline(spark, str(folder / table))
        p.view("totals", totals(source.changes(spark, SCHEMA)))
        p.sink("out", "totals", "postgres", **source.target(table), key="account")
        self.pipeline = p

    def start(self, trigger: str) -> None:
        self.run = self.pipeline.start(processingTime=trigger)

    def stop(self) -> None:
        self.run.stop()


class Native:
    """Spark's own aggregation, and a foreachBatch that writes as a careful user does.

    One transaction a batch, by COPY. It does not keep the number of the batch, so after a crash
    a batch is written a second time.
    """

    name = "foreachBatch"

    def __init__(self, spark: SparkSession, folder: Path, source: Any, table: str) -> None:
        self.table, self.folder, self.server = table, folder, source.postgres
        self.source = source
        self.rows = source.stream(spark, SCHEMA)

    def start(self, trigger: str) -> None:
        self.connection = self.server.connect()
        self.connection.execute(f"CREATE TEMP TABLE fresh (LIKE {self.table})")
        writer = totals(self.rows).writeStream.outputMode("update").foreachBatch(self.write)
        location = str(self.folder / self.table)
        self.query = (
            writer.option("checkpointLocation", location).trigger(processingTime=trigger).start()
        )

    def write(self, batch: DataFrame, _number: int) -> None:
        rows = batch.select("account", "n", "total", "seq").collect()
        with self.connection.transaction(), self.connection.cursor() as cursor:
            cursor.execute("TRUNCATE fresh")
            with cursor.copy("COPY fresh FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            cursor.execute(UPSERT.format(name=self.table))
        self.source.done(self.query.lastProgress)

    def stop(self) -> None:
        self.query.stop()
        self.connection.close()
