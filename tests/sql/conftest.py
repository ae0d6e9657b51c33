"""A session with our extension, and pipelines that end with their test."""

from collections.abc import Iterator
from pathlib import Path
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


@pytest.fixture
def place(session: SparkSession, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The location of pipeline p, with what the module's ``MADE`` makes."""
    place = str(tmp_path / "p")
    session.sql(f"CREATE PIPELINE p LOCATION '{place}'")
    session.sql("USE groundswell.p")
    for text in request.module.MADE:
        session.sql(text)
    return place


def reopened(session: SparkSession, place: str) -> None:
    """Pipeline p, as another process finds it."""
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None
    pipeline.stop()
    REGISTRY.remove(session, "p")
    session.sql(f"CREATE PIPELINE IF NOT EXISTS p LOCATION '{place}'")
