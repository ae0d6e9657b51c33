"""A session with our extension, and pipelines that end with their test."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from groundswell import confs
from groundswell.sql.executor import REGISTRY
from groundswell.sql.pipelines import SqlPipeline

CONFS = {confs.EXTENSIONS_KEY: confs.EXTENSIONS}


@pytest.fixture
def session(spark_factory: Any) -> Iterator[SparkSession]:
    spark = spark_factory(CONFS)
    spark.conf.set(confs.FILE_MANAGER_KEY, confs.FILE_MANAGER)
    yield spark
    end_all(spark)


def end_all(spark: SparkSession) -> None:
    for pipeline in REGISTRY.all(spark):
        pipeline.stop()
        REGISTRY.remove(spark, pipeline.name)


@pytest.fixture(scope="module")
def made(
    _contexts: Any, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> tuple[Path, bool]:
    """The location of a pipeline that has stopped, with what the module's ``MADE`` makes.

    And whether it ran before.
    """
    location = tmp_path_factory.mktemp("made") / "p"
    spark = _contexts.get(CONFS).newSession()
    spark.conf.set(confs.FILE_MANAGER_KEY, confs.FILE_MANAGER)
    try:
        pipeline = opened(spark, location)
        for text in request.module.MADE:
            spark.sql(text)
        return location, pipeline.running
    finally:
        end_all(spark)


@pytest.fixture
def place(session: SparkSession, made: tuple[Path, bool], tmp_path: Path) -> str:
    """The location of pipeline p, a copy of ``made``: a start costs less than each statement."""
    place, (location, running) = tmp_path / "p", made
    shutil.copytree(location, place)
    pipeline = opened(session, place)
    if running:
        pipeline.start()
    return str(place)


def opened(session: SparkSession, place: Path) -> SqlPipeline:
    session.sql(f"CREATE PIPELINE IF NOT EXISTS p LOCATION '{place}'")
    session.sql("USE groundswell.p")
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None
    return pipeline


def reopened(session: SparkSession, place: str) -> None:
    """Pipeline p, as another process finds it."""
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None
    pipeline.stop()
    REGISTRY.remove(session, "p")
    session.sql(f"CREATE PIPELINE IF NOT EXISTS p LOCATION '{place}'")


def rows(spark: SparkSession, query: str) -> list[tuple[object, ...]]:
    """What a query gives, in order."""
    return sorted(tuple(row) for row in spark.sql(query).collect())
