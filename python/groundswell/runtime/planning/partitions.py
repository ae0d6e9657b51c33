"""How many partitions the states of a pipeline have before its location says so."""

from __future__ import annotations

from pyspark.sql import SparkSession


def partitions_of(spark: SparkSession, given: int | None) -> int:
    """How many partitions the states of a new pipeline have."""
    # Spark's own default, 200, is meant for large batch shuffles: a task each at every barrier.
    cores = str(spark.sparkContext.defaultParallelism)
    return int(given or spark.conf.get("spark.sql.shuffle.partitions", cores) or cores)
