"""A source whose rows do not fit into the heap: says what that ends with, and if the JVM lives."""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import groundswell as gs

VALUES, LETTERS = 24, 30_000_000


def main(folder: str) -> None:
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "1g")
    spark: SparkSession = gs.configure(builder.config("spark.ui.enabled", "false")).getOrCreate()
    source = Path(folder) / "rows"
    source.mkdir()
    rows = pa.table({"id": list(range(VALUES)), "text": ["x" * LETTERS] * VALUES})
    pq.write_table(rows, source / "all.parquet", use_dictionary=False)  # Spark reads it in one go
    p = gs.pipeline(spark, f"{folder}/views")
    table = spark.readStream.schema("id bigint, text string").parquet(str(source))
    p.view("longest", table.groupBy((table.id % 2).alias("k")).agg({"text": "max"}))
    try:
        p.start(availableNow=True).awaitTermination()
        print("fits")
    except gs.OutOfMemory as e:
        print(f"{spark.range(3).count()} {e}")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
