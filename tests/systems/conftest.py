"""Servers that live as long as the module of tests that asks for them."""

from collections.abc import Iterator

import pytest

from sinks.conftest import session
from systems.servers import Chdb, ClickHouse, Kafka, Postgres

__all__ = ["session"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "/tests/systems/" in str(item.path):
            item.add_marker(pytest.mark.systems)


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install '.[postgres]'")
    server = Postgres()
    yield server
    server.close()


@pytest.fixture(scope="module")
def kafka() -> Iterator[Kafka]:
    pytest.importorskip("confluent_kafka", reason="not installed: pip install '.[kafka]'")
    server = Kafka()
    yield server
    server.close()


@pytest.fixture(scope="module", params=[ClickHouse, Chdb], ids=["18.16", "chdb"])
def clickhouse(request: pytest.FixtureRequest) -> Iterator[ClickHouse]:
    server = request.param()
    yield server
    server.close()
