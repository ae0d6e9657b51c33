"""A few small views, run so that the JVM loads the classes which most programs need."""

from __future__ import annotations

import tempfile
from pathlib import Path

QUERIES = {
    "counted": "SELECT g, count(*) n, count(DISTINCT v) d, sum(v) t, avg(v) a FROM r GROUP BY g",
    "joined": "SELECT r.g, r.v, n.name FROM r LEFT JOIN names n ON r.g = n.g WHERE r.v > 1",
    "best": "SELECT g, sum(v) t FROM r GROUP BY g ORDER BY t DESC, g LIMIT 3",
    "ranked": "SELECT g, v, row_number() OVER (PARTITION BY g ORDER BY v, at) i FROM r",
}
ROWS = 40


def run(work: Path) -> None:
    """Feeds files into the views, reads what they hold and asks Spark for the same."""
    from pyspark.sql import SparkSession

    import groundswell as gs

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = gs.configure(builder.config("spark.sql.shuffle.partitions", "2")).getOrCreate()
    try:
        source = work / "rows"
        names = spark.createDataFrame([(n, f"name {n}") for n in range(5)], "g int, name string")
        names.write.parquet(str(work / "names"))
        _write(source, 0)
        _write(source, 1)
        rows = spark.readStream.schema("g int, v double, at timestamp")
        rows = rows.option("maxFilesPerTrigger", 1)
        gs.appends(rows.csv(str(source)), name="r").createOrReplaceTempView("r")
        kept = spark.readStream.schema(names.schema).parquet(str(work / "names"))
        gs.upserts(kept, key="g", name="names").createOrReplaceTempView("names")
        location = str(work / "checkpoint")
        pipeline = gs.pipeline(spark, location)
        for name, text in QUERIES.items():
            pipeline.view(name, spark.sql(text))
        query = pipeline.start()
        try:
            query.processAllAvailable()
        finally:
            query.stop()
        for name in QUERIES:
            gs.read_view(spark, location, name).orderBy("g").toArrow()
        spark.read.schema("g int, v double, at timestamp").csv(str(source)).groupBy("g").agg(
            {"v": "sum"}
        ).collect()
    finally:
        spark.stop()


def _write(folder: Path, number: int) -> None:
    folder.mkdir(exist_ok=True)
    lines = (f"{i % 5},{i / 3},2026-01-01 00:00:{i:02d}" for i in range(number, number + ROWS))
    (folder / f"{number}.csv").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as work:
        run(Path(work))
