"""A view of many rows, keyed by ``id``; and the same rows as one Parquet file."""

from __future__ import annotations

import sys

import groundswell as gs
from shared.session import session

FILES = 20
COLUMNS = """
    id; id % 1000 AS grp; concat('item-', id % 50000) AS name;
    CAST(id % 100000 AS DECIMAL(12,2)) AS price; CAST(id AS DOUBLE) / 7 AS weight;
    timestamp_seconds(1700000000 + id) AS at
"""


def main(location: str, parquet: str, rows: int) -> None:
    spark = session("bench-serve")
    made = spark.range(rows).selectExpr(*COLUMNS.split(";"))
    made.repartition(FILES).write.parquet(f"{location}-in")
    spark.read.parquet(f"{location}-in").coalesce(1).write.parquet(parquet)
    stream = spark.readStream.schema(made.schema).option("maxFilesPerTrigger", 4)
    stream.parquet(f"{location}-in").createOrReplaceTempView("arriving")
    p = gs.pipeline(spark, location)
    p.view(
        "items",
        spark.sql(
            "SELECT id, max(grp) AS grp, max(name) AS name, max(price) AS price, "
            "max(weight) AS weight, max(at) AS at FROM arriving GROUP BY id"
        ),
    )
    p.start(availableNow=True).awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
