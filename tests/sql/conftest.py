"""A session with our extension, and pipelines that end with their test."""

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from groundswell import confs
from groundswell.sql.registry import REGISTRY


@pytest.fixture
def session(spark_factory: Any) -> Iterator[SparkSession]:
    spark = spark_factory({confs.EXTENSIONS_KEY: confs.EXTENSIONS})
    spark.conf.set(confs.FILE_MANAGER_KEY, confs.FILE_MANAGER)
    yield spark
    for pipeline in REGISTRY.all(spark):
        pipeline.stop()
        REGISTRY.remove(spark, pipeline.name)
