"""A driver that keeps views at one location after another, as its standard input says.

Each line is a JSON object: ``input`` (see ``workload.prepare``), ``location``, ``every`` (k of
``checkpointEvery``), ``overlap`` (of ``checkpointOverlap``) and ``report``, the file that says how
the run ended: the class and message of its error, or the rows of its views as they are and as batch
Spark computes them.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import groundswell as gs
from crash import workload
from crash.processes import kill
from groundswell.errors import GroundswellError

VIEWS = {
    "regions": workload.QUERY,
    "items": "SELECT item, max(amount) AS most FROM orders GROUP BY item",
}
SCHEMAS = {"customers": workload.CUSTOMERS, "orders": workload.ORDERS}


def session(confs: dict[str, str]) -> SparkSession:
    builder = SparkSession.builder.master("local[2]")
    own = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}
    own |= dict.fromkeys(("spark.driver.bindAddress", "spark.driver.host"), "127.0.0.1")
    for key, value in {**own, **confs}.items():
        builder = builder.config(key, value)
    return gs.configure(builder).getOrCreate()


def killer(spark: SparkSession) -> Callable[[], None]:
    """What kills both processes of this driver."""
    java: Any = spark.sparkContext._jvm
    pid = int(java.java.lang.ProcessHandle.current().pid())
    return lambda: kill(pid, os.getpid())


def pipeline(spark: SparkSession, told: dict[str, Any]) -> gs.Pipeline:
    def read(name: str) -> Any:
        source = spark.readStream.schema(SCHEMAS[name]).option("maxFilesPerTrigger", 1)
        return source.json(f"{told['input']}/{name}")

    customers = gs.upserts(read("customers"), key="id", delete="gone", name="customers")
    customers.createOrReplaceTempView("customers")
    gs.appends(read("orders"), name="orders").createOrReplaceTempView("orders")
    options = {"checkpointEvery": told["every"], "retainEpochs": 4, "retireEvery": 2}
    options |= {"checkpointOverlap": told["overlap"]}
    made = gs.pipeline(spark, told["location"], **options)
    for name, query in VIEWS.items():
        made.view(name, spark.sql(query))
    return made


def run(spark: SparkSession, told: dict[str, Any]) -> dict[str, Any]:
    try:
        query = pipeline(spark, told).start(availableNow=True, takeover=True)
        query.awaitTermination()
    except GroundswellError as e:
        return {"error": type(e).__name__, "message": str(e)}
    views = {name: rows(query.view(name)) for name in VIEWS}
    return {"error": None, "token": query.ownerToken, "views": views, "batch": batch(spark, told)}


def batch(spark: SparkSession, told: dict[str, Any]) -> dict[str, list]:
    """The same views over the tables as they are now."""
    last: dict[int, dict[str, Any]] = {}
    for path in sorted(Path(told["input"], "customers").iterdir()):
        last.update({row["id"]: row for row in map(json.loads, path.read_text().splitlines())})
    there = [(row["id"], row["region"]) for row in last.values() if not row["gone"]]
    spark.createDataFrame(there, "id int, region string").createOrReplaceTempView("customers")
    orders = spark.read.schema(workload.ORDERS).json(f"{told['input']}/orders")
    orders.createOrReplaceTempView("orders")
    return {name: rows(spark.sql(query)) for name, query in VIEWS.items()}


def rows(frame: Any) -> list[list]:
    return sorted(list(row) for row in frame.collect())


def main(confs: dict[str, str]) -> None:
    spark = session(confs)
    print("ready", flush=True)
    for line in sys.stdin:
        told = json.loads(line)
        report = Path(told["report"])
        report.with_suffix(".tmp").write_text(json.dumps(run(spark, told)))
        report.with_suffix(".tmp").rename(report)
    spark.stop()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
