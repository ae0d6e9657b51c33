"""One job, barrier after barrier, in a process of its own: means at chosen numbers of barriers.

``spark`` reads the same rows and does nothing with them: what a micro-batch costs without us.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from shared import threads
from shared.process import tell
from shared.session import live_heap, pid, session

VIEWS = (
    "SELECT g, count(*) n, sum(w) s, max(w) m FROM {t} GROUP BY g",
    "SELECT g, w FROM (SELECT g, w, row_number() OVER (PARTITION BY g % 20 ORDER BY w DESC) r "
    "FROM {t}) WHERE r <= 3",
    "SELECT g % 20 k, count(DISTINCT w) n FROM {t} GROUP BY g % 20",
)
SEEN = 200
"""Barriers of which a mean is made."""


def source(spark: SparkSession, rows: int) -> DataFrame:
    """So many rows a barrier at once, of which none is left if 0 are wanted."""
    read = spark.readStream.format("rate-micro-batch").option("numPartitions", 2)
    columns = ("pmod(hash(value), 500) g", "pmod(hash(value, 1), 1000) w")
    each = read.option("rowsPerBatch", max(rows, 1)).load().selectExpr("value", *columns)
    return each.drop("value") if rows else each.where("value < 0").drop("value")


def query_of(number: int) -> str:
    """The first three differ; later ones are these of other groups."""
    rows = "t" if number < len(VIEWS) else f"(SELECT * FROM t WHERE g <> {number})"
    return VIEWS[number % len(VIEWS)].format(t=rows)


def started(spark: SparkSession, home: str, rows: int, views: int) -> Any:
    """Spark's query: of a pipeline with so many views; with none of one that does nothing."""
    frame = source(spark, rows)
    if not views:
        place = f"{home}/spark"
        return frame.writeStream.format("noop").option("checkpointLocation", place).start()
    frame.createOrReplaceTempView("t")
    p = gs.pipeline(spark, f"{home}/ours")
    for number in range(views):
        p.view(f"v{number}", spark.sql(query_of(number)))
    return p.start()._query


def reached(query: Any, barrier: int) -> int:
    """Waits for a barrier; the newest one then."""
    while (last := query.lastProgress) is None or int(last["batchId"]) < barrier:
        if not query.isActive:
            raise SystemExit(str(query.exception()))
        time.sleep(0.05)
    return int(last["batchId"])


def mean(query: Any, barrier: int, process: int) -> dict[str, float]:
    """Milliseconds of a barrier, as a mean of the last before this one.

    Returns:
        What Spark names, and CPU times: ``tasks``, and ``driver`` for all others of the JVM but
        compilers and collectors.
    """
    first, begun = reached(query, barrier - SEEN), threads.spent(process)
    last, ended = reached(query, barrier), threads.spent(process)
    found = [json.loads(each.json()) for each in query._jsq.recentProgress()][-SEEN:]
    names = ("triggerExecution", "addBatch", "queryPlanning", "walCommit", "commitOffsets")
    times = {
        name: sum(each["durationMs"].get(name, 0) for each in found) / len(found) for name in names
    }
    cpu = {kind: (ended[kind] - begun[kind]) / (last - first) for kind in ("driver", "tasks")}
    return {**times, **cpu}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", type=int)
    parser.add_argument("views", type=int, help="0: Spark alone")
    parser.add_argument("barriers", type=int, nargs="+", help="numbers of barriers, ascending")
    args = parser.parse_args()
    confs = {"spark.sql.streaming.numRecentProgressUpdates": str(SEEN)}
    spark = session("steady", confs)  # ours, too: Spark alone has our checkpoint files then
    with tempfile.TemporaryDirectory(prefix="steady-") as home:
        query = started(spark, home, args.rows, args.views)
        found = [mean(query, barrier, pid(spark)) for barrier in args.barriers]
        heap = live_heap(spark)
        query.stop()
    tell({"means": found, "heap": heap})
    spark.stop()


if __name__ == "__main__":
    main()
