"""Starts a pipeline with a view of each kind; says how many classes Spark had compiled.

``python compiling.py FOLDER [CONF=VALUE ...]``
"""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.cli.training import ROWS, VIEWS, write


def main(folder: Path, *confs: str) -> None:
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    for conf in confs:
        builder = builder.config(*conf.split("=", 1))
    spark = gs.configure(builder.config("spark.sql.shuffle.partitions", "2")).getOrCreate()
    compiled = spark._jvm.org.apache.spark.metrics.source.CodegenMetrics.METRIC_COMPILATION_TIME()
    write(folder / "rows", 0)
    stream = spark.readStream.schema(ROWS).csv(str(folder / "rows"))
    gs.appends(stream, name="r").createOrReplaceTempView("r")
    pipeline = gs.pipeline(spark, str(folder / "checkpoint"))
    names = pipeline.table("names", "g int, name string, kind string", key="g")
    parts = pipeline.table("parts", "id bigint, kind string", key="id")
    names.df.createOrReplaceTempView("names")
    parts.df.createOrReplaceTempView("parts")
    for name, text in VIEWS.items():
        if "doubled" not in text:
            pipeline.view(name, spark.sql(text))
    names.insert([(1, "ann", "a")])
    parts.insert([(1, "a")])
    query = pipeline.start()
    query.processAllAvailable()
    query.stop()
    print("SAID", json.dumps({"compiled": compiled.getCount()}))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
