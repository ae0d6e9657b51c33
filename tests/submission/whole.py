"""A view, a query with our state store and statements of SQL, in one process; says what they gave.

``python whole.py FOLDER MASTER [CONF=VALUE ...]``
"""

import json
import logging
import sys
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import groundswell as gs

SCHEMA = "a int, b double, at timestamp"


def of_a_view(spark: SparkSession, folder: Path) -> list[list]:
    doubled = F.udf(lambda value: value * 2, "double")
    pipeline = gs.pipeline(spark, str(folder / "view"))
    votes = pipeline.table("votes", "reader string, story string, weight double", key="reader")
    weighed = votes.df.groupBy("story").agg(F.sum(doubled("weight")).alias("n"))
    pipeline.view("counts", weighed)
    query = pipeline.start()
    votes.insert([("ann", "tides", 1.0), ("bob", "tides", 2.0), ("cyd", "logs", 4.0)])
    query.processAllAvailable()
    votes.upsert([("ann", "logs", 1.0)])
    query.processAllAvailable()
    rows = sorted(list(row) for row in query.view("counts").collect())
    query.stop()
    return rows


def of_a_state_store(spark: SparkSession, folder: Path) -> list[list]:
    (folder / "in").mkdir()
    (folder / "in" / "1.csv").write_text("1,2,2026-01-01 00:00:00\n1,3,2026-01-01 00:00:01\n")
    stream = spark.readStream.schema(SCHEMA).csv(str(folder / "in")).groupBy("a").sum("b")
    writer = stream.writeStream.outputMode("complete").format("memory").queryName("sums")
    writer = writer.option("checkpointLocation", str(folder / "query"))
    writer.trigger(availableNow=True).start().awaitTermination()
    return [list(row) for row in spark.table("sums").collect()]


def of_sql(spark: SparkSession, folder: Path) -> list[list]:
    spark.sql(f"CREATE PIPELINE p LOCATION '{folder / 'sql'}'")
    spark.sql("USE groundswell.p")
    spark.sql("CREATE TABLE t (id int PRIMARY KEY, v int)")
    spark.sql("CREATE MATERIALIZED VIEW best AS SELECT v, id FROM t ORDER BY v DESC LIMIT 1")
    spark.sql("INSERT INTO t VALUES (1, 5), (2, 7)")
    spark.sql("UPDATE t SET v = 9 WHERE id = 1")
    spark.sql("FLUSH").collect()
    rows = [list(row) for row in spark.table("best").collect()]
    spark.sql("DROP PIPELINE p")
    return rows


def main(folder: Path, master: str, *confs: str) -> None:
    logging.basicConfig(level=logging.INFO, format="LOG %(message)s")
    logging.getLogger("py4j").setLevel(logging.WARNING)
    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    for conf in confs:
        builder = builder.config(*conf.split("=", 1))
    spark = gs.configure(builder).getOrCreate()
    java = spark._jvm.java.lang.System.getProperty("java.version")
    print("SAID", json.dumps({
        "java": java,
        "view": of_a_view(spark, folder),
        "store": of_a_state_store(spark, folder),
        "sql": of_sql(spark, folder),
    }))  # fmt: skip
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
