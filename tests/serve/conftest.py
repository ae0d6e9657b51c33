"""A small shop, kept once, and a server of it."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.conftest import session

__all__ = ["psycopg", "session"]


ORDERS = 400
SCHEMA = "id bigint, customer string, amount decimal(12,2), at timestamp"


class Shop:
    """A pipeline, and a server beside it.

    Attributes:
        location: of the pipeline.
        port: of the server.
    """

    def __init__(self, spark: SparkSession, location: str) -> None:
        self.location = location
        pipeline = gs.pipeline(spark, location)
        self.orders = pipeline.table("orders", SCHEMA, key="id")
        self.orders.df.createOrReplaceTempView("orders")
        pipeline.view(
            "per_customer",
            spark.sql(
                "SELECT customer, count(*) n, sum(amount) total FROM orders GROUP BY customer"
            ),
        )
        pipeline.view("large", spark.sql("SELECT id, customer, amount, at FROM orders"))
        self.run = pipeline.start()
        self.insert(range(ORDERS))

    def insert(self, ids: Any) -> None:
        """Takes orders, and waits until the views have them."""
        day = datetime.datetime(2026, 1, 1, 12)
        self.orders.insert(
            [(i, f"c{i % 7}", Decimal(i) / 4, day + datetime.timedelta(minutes=i)) for i in ids]
        )
        self.run.processAllAvailable()

    def serve(self, **options: Any) -> Any:
        """A server of it; 127.0.0.1, a free port."""
        from groundswell.serve.server import Options, Server

        return Server(self.location, Options(**{"port": 0, **options})).start()


@pytest.fixture(scope="module")
def shop(session: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    made = Shop(session, str(tmp_path_factory.mktemp("shop") / "p"))
    yield made
    made.run.stop()


@pytest.fixture(scope="module")
def dsn(shop: Shop) -> Iterator[str]:
    server = shop.serve()
    yield f"host=127.0.0.1 port={server.port} user=ann dbname=groundswell"
    server.stop()


@pytest.fixture
def connection(dsn: str) -> Iterator[Any]:
    with psycopg.connect(dsn, autocommit=True) as made:
        yield made


@pytest.fixture
def password_file(tmp_path: Path) -> str:
    path = tmp_path / "password"
    path.write_text("s3cr\u00e9t\n", "utf-8")
    return str(path)
