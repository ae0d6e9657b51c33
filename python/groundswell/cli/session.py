"""The Spark session of a command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def start(master: str | None, confs: Mapping[str, str]) -> SparkSession:
    """A session of the command's own; under spark-submit, that one's.

    Args:
        master: Spark's master; None takes spark-submit's, or all cores of this machine.
        confs: more Spark confs.
    """
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    from groundswell.api.session import configure

    builder = SparkSession.builder.appName("groundswell")
    builder = builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    if master is not None or not SparkConf().contains("spark.master"):
        master = master or "local[*]"
        builder = builder.master(master)
    for key, value in confs.items():
        builder = builder.config(key, value)
    spark: SparkSession = configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark
