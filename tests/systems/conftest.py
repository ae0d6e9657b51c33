"""Servers that live as long as the module of tests that asks for them."""

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from groundswell import confs
from sinks.conftest import session
from systems.jars import connector
from systems.servers import Chdb, ClickHouse, Kafka, MariaDb, MissingError, Postgres

__all__ = ["session"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "/tests/systems/" in str(item.path):
            item.add_marker(pytest.mark.systems)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    """A fixture's server may be missing.

    Around the set-up of every test, since pytest raises the error of a shared fixture again.
    """
    return (yield from _skipped_without_a_server())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """So may one that the test itself starts."""
    return (yield from _skipped_without_a_server())


def _skipped_without_a_server() -> Generator[None, Any, Any]:
    """A server that cannot be had skips its tests; on CI it fails them."""
    try:
        return (yield)
    except MissingError as e:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(str(e), pytrace=False)
        pytest.skip(str(e))


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install '.[postgres]'")
    server = Postgres()
    yield server
    server.close()


@pytest.fixture(scope="module")
def mariadb() -> Iterator[MariaDb]:
    pytest.importorskip("pymysqlreplication", reason="not installed: pip install '.[mysql]'")
    server = MariaDb()
    yield server
    server.close()


@pytest.fixture(scope="module")
def kafka() -> Iterator[Kafka]:
    pytest.importorskip("confluent_kafka", reason="not installed: pip install '.[kafka]'")
    server = Kafka()
    yield server
    server.close()


@pytest.fixture(scope="module")
def streams(_contexts: Any, jar: Path) -> Iterator[SparkSession]:
    """A session that reads Kafka."""
    spark = _contexts.get(
        {"spark.jars": f"{jar},{connector()}", confs.EXTENSIONS_KEY: confs.EXTENSIONS},
        own_jvm=True,
    ).newSession()
    spark.conf.set(confs.FILE_MANAGER_KEY, confs.FILE_MANAGER)
    yield spark
    for query in spark.streams.active:
        query.stop()


@pytest.fixture(scope="module", params=[ClickHouse, Chdb], ids=["18.16", "chdb"])
def clickhouse(request: pytest.FixtureRequest) -> Iterator[ClickHouse]:
    server = request.param()
    yield server
    server.close()
