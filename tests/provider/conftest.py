"""The session in which state stores are compared."""

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession


@pytest.fixture
def stores(spark_factory: Callable[..., SparkSession]) -> SparkSession:
    """Everything of ours that a user switches on, but the provider: that is the query's choice."""
    return spark_factory(
        {
            "spark.plugins": "io.groundswell.GroundswellPlugin",
            "spark.groundswell.cacheSize": "64m",
            "spark.sql.extensions": "io.groundswell.GroundswellExtensions",
            "spark.sql.streaming.checkpointFileManagerClass": (
                "io.groundswell.GroundswellCheckpointFileManager"
            ),
        }
    )
