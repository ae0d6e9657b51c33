"""Visits of a web site: sessions by user, and how many visits each user has made so far.

    spark-submit --jars groundswell.jar --conf ... examples/sessions.py EVENTS CHECKPOINT

reads JSON lines ``{"user": "ann", "at": "2024-01-01 00:00:00"}`` from the folder EVENTS until it
has seen all files, prints the sessions that ended and each user's count, and stops. Run it again
when files have been added. It imports nothing of groundswell: the state store is a matter of confs.
"""

import sys
from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle


class Visits(StatefulProcessor):
    """The number of events of each user."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.count = handle.getValueState("count", "n long")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        seen = (self.count.get()[0] if self.count.exists() else 0) + sum(1 for _ in rows)
        self.count.update((seen,))
        yield Row(user=key[0], visits=seen)


def show(title: str) -> Any:
    def each(batch: DataFrame, number: int) -> None:
        for row in sorted(map(str, batch.collect())):
            print(f"{title} {number}: {row}")

    return each


def run(spark: SparkSession, events: str, checkpoint: str) -> None:
    """Starts both queries, waits for them, and says which state store they used."""
    visits = spark.readStream.schema("user string, at timestamp").json(events)
    sessions = (
        visits.withWatermark("at", "10 minutes")
        .groupBy(F.session_window("at", "30 minutes"), "user")
        .count()
        .select("user", "session_window.start", "count")
    )
    counts = visits.groupBy("user").transformWithState(
        Visits(), "user string, visits long", "Update", "None"
    )
    for title, frame, mode in (("session", sessions, "append"), ("visits", counts, "update")):
        query = (
            frame.writeStream.outputMode(mode)
            .option("checkpointLocation", f"{checkpoint}/{title}")
            .foreachBatch(show(title))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        operator = query.lastProgress.stateOperators[0] if query.lastProgress else None
        if operator:
            ours = "groundswellCommitMs" in operator.customMetrics
            print(f"{title}: {operator.numRowsTotal} rows in {'our' if ours else 'another'} store")


if __name__ == "__main__":
    run(SparkSession.builder.appName("sessions").getOrCreate(), *sys.argv[1:3])
