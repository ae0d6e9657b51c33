"""All rows of a view change in one barrier, below one query: ``operators.py FOLDER ROWS QUERY...``.

A heap of 700 MB. It prints each query's name, and whether its view is what batch Spark makes of the
same rows: after a first barrier, which inserts, and a second one, which changes each row.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from crash.short_of_memory import CONFS
from shared.digest import digest

_WINDOW = "OVER (PARTITION BY k % 100 ORDER BY v, k"

QUERIES = {
    "except all": "SELECT k, v FROM last EXCEPT ALL SELECT k + 1, v FROM last",
    "intersect all": "SELECT v % 1000 v, k % 100 k FROM last "
    "INTERSECT ALL SELECT v % 1000, k % 50 FROM last",
    "except": "SELECT k, v FROM last EXCEPT SELECT k, v + 1 FROM last",
    "intersect": "SELECT v FROM last INTERSECT SELECT v + 1 FROM last",
    "union": "SELECT v FROM last UNION SELECT k FROM last",
    "first three": "SELECT * FROM (SELECT k, v, row_number() OVER "
    "(PARTITION BY k % 5000 ORDER BY v DESC, k) r FROM last) WHERE r <= 3",
    "first third": "SELECT * FROM (SELECT k, v, row_number() OVER "
    "(PARTITION BY k % 2 ORDER BY v DESC, k) r FROM last) WHERE r <= 50000",
    "limit": "SELECT k, v FROM last ORDER BY v, k LIMIT 100000",
    "sessions": "SELECT k % 1000 g, session_window(ts, '10 seconds') w, count(*) n, sum(v) s "
    "FROM last GROUP BY k % 1000, session_window(ts, '10 seconds')",
    "sliding": "SELECT k, window(ts, '1 hour', '20 minutes') w, sum(v) s FROM last "
    "GROUP BY k, window(ts, '1 hour', '20 minutes')",
    "explode": "SELECT e, count(*) n, sum(v) s FROM last "
    "LATERAL VIEW explode(array(v % 100000, k % 100000, 7)) x AS e GROUP BY e",
    "scalar": "SELECT k, v FROM last WHERE v > (SELECT avg(v) FROM last)",
    "in": "SELECT k, v FROM last WHERE v IN (SELECT k FROM last WHERE k % 3 = 0)",
    "not in": "SELECT k, v FROM last WHERE v NOT IN (SELECT k FROM last WHERE k % 3 = 0)",
    "exists": "SELECT k, v FROM last a WHERE EXISTS "
    "(SELECT 1 FROM last b WHERE b.k = a.v % 1000 AND b.v < a.v)",
    "full": "SELECT a.k, a.v, b.k bk, b.v bv FROM last a "
    "FULL JOIN (SELECT * FROM last WHERE k % 2 = 0) b ON a.v = b.k",
    "hot keys": "SELECT a.k, b.v FROM last a "
    "LEFT JOIN (SELECT k, v FROM last WHERE k < 20) b ON a.k % 10 = b.k",
    "grouping sets": "SELECT k % 100 a, v % 1000 b, count(*) n, sum(v) s FROM last "
    "GROUP BY GROUPING SETS ((k % 100, v % 1000), (k % 100), (v % 1000), ())",
    "distinct": "SELECT k % 10 g, count(DISTINCT v) a, count(DISTINCT k) b, "
    "sum(DISTINCT v % 5000) c FROM last GROUP BY k % 10",
    "percentile": "SELECT k % 3 g, percentile(v, 0.5) p FROM last GROUP BY k % 3",
    "lists": "SELECT k % 1000 g, size(collect_list(v)) n, size(collect_set(v % 7)) m "
    "FROM last GROUP BY k % 1000",
    "frames": f"SELECT k, sum(v) {_WINDOW} ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) s, "
    f"lag(v) {_WINDOW}) l, ntile(7) {_WINDOW}) t, rank() {_WINDOW}) r FROM last",
    "range": "SELECT a.k, count(*) n FROM (SELECT * FROM last WHERE k % 1000 = 0) a "
    "JOIN last b ON b.v BETWEEN a.v AND a.v + 20 GROUP BY a.k",
    "pivot": "SELECT * FROM (SELECT k % 1000 g, k % 4 c, v FROM last) "
    "PIVOT (sum(v) FOR c IN (0, 1, 2, 3))",
    "extremes": "SELECT k % 10 g, min(v) a, max(v) b, min_by(k, v * 10000000 + k) c FROM last "
    "GROUP BY k % 10",
    "three joins": "SELECT a.k, b.v, c.v w FROM last a "
    "JOIN last b ON a.v = b.k JOIN last c ON b.v = c.k",
}


def main(folder: Path, count: int, names: list[str]) -> None:
    builder = SparkSession.builder.config(map=CONFS | {"spark.driver.memory": "700m"})
    spark: SparkSession = gs.configure(builder).getOrCreate()
    for name in names:
        print(f"{name}: {'equal' if _is_equal(spark, folder / name, count, name) else 'DIFFERS'}")
    spark.stop()


def _is_equal(spark: SparkSession, folder: Path, count: int, name: str) -> bool:
    source, location = str(folder / "rows"), str(folder / "views")

    def write(version: int) -> None:
        spark.range(count).selectExpr(
            "id AS k",
            f"cast(abs(hash(id, {version})) % {count} AS bigint) AS v",
            f"timestamp_seconds(1700000000 + abs(hash(id, {version}, 7)) % 200000) AS ts",
            f"{version} AS version",
        ).write.mode("append").parquet(source)

    write(1)
    p = gs.pipeline(spark, location)
    rows = spark.readStream.schema(spark.read.parquet(source).schema).parquet(source)
    newest = [F.max_by(column, "version").alias(column) for column in ("v", "ts")]
    p.view("last", rows.groupBy("k").agg(*newest))
    p.read("last").createOrReplaceTempView("last")
    p.view("view", spark.sql(QUERIES[name]))
    p.start(availableNow=True).awaitTermination()
    write(2)
    p.start(availableNow=True).awaitTermination()
    gs.read_view(spark, location, "last").createOrReplaceTempView("last")
    return digest(spark.sql(QUERIES[name])) == digest(gs.read_view(spark, location, "view"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
