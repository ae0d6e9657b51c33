"""One session a module, with what incremental views need and nothing else."""

import gc
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from groundswell import confs

LOSES_ORDER = "org.apache.spark.sql.catalyst.optimizer.PushProjectionThroughLimitAndOffset"
"""With a scalar subquery in the projection, Spark 4.3 drops the sort that the limit is over."""


@pytest.fixture(scope="module")
def session(_contexts: Any) -> Iterator[SparkSession]:
    spark = _contexts.get({}).newSession()
    spark.conf.set(confs.FILE_MANAGER_KEY, confs.FILE_MANAGER)
    spark.conf.set("spark.sql.optimizer.excludedRules", LOSES_ORDER)
    yield spark
    for query in spark.streams.active:
        query.stop()
    # Python lets go of frames and queries in circles late, and the JVM keeps a session for each.
    gc.collect()
