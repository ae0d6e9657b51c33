"""The session in which state stores are compared."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from provider.jvm_operators import compile_operators


@pytest.fixture(scope="session")
def operators(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jar of the operators that are written in Java."""
    return compile_operators(tmp_path_factory.mktemp("operators"))


@pytest.fixture
def stores(spark_factory: Callable[..., SparkSession], jar: Path, operators: Path) -> SparkSession:
    """Everything of ours that a user switches on, but the provider: that is the query's choice."""
    return spark_factory(
        {
            "spark.jars": f"{jar},{operators}",
            "spark.plugins": "io.groundswell.GroundswellPlugin",
            "spark.groundswell.cacheSize": "64m",
            "spark.sql.extensions": "io.groundswell.GroundswellExtensions",
            "spark.sql.streaming.checkpointFileManagerClass": (
                "io.groundswell.GroundswellCheckpointFileManager"
            ),
        }
    )
