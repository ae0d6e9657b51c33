"""Tables of PostgreSQL as sources, on a real server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from systems.servers import Postgres


class Bank:
    """A server with two tables."""

    def __init__(self, server: Postgres) -> None:
        self.server = server
        for name, active in self.run("SELECT slot_name, active_pid FROM pg_replication_slots"):
            if active:
                self.run(f"SELECT pg_terminate_backend({active})")
            self.run(f"SELECT pg_drop_replication_slot('{name}')")
        for (name,) in self.run("SELECT pubname FROM pg_publication"):
            self.run(f"DROP PUBLICATION {name}")
        self.run("DROP SCHEMA public CASCADE")
        self.run("CREATE SCHEMA public")
        self.run("CREATE TABLE accounts (id int PRIMARY KEY, owner text, balance bigint)")
        self.run("CREATE TABLE branches (id int PRIMARY KEY, total bigint)")
        self.run("INSERT INTO accounts SELECT g, 'o' || g, 100 FROM generate_series(1, 10) g")
        self.run("INSERT INTO branches VALUES (1, 1000)")

    @property
    def dsn(self) -> str:
        return f"postgresql://owner@127.0.0.1:{self.server.port}/postgres"

    def run(self, query: str) -> list[Any]:
        with self.server.connect() as connection:
            done = connection.execute(query)
            return done.fetchall() if done.description else []

    def frames(self, spark: SparkSession, *tables: str, **options: Any) -> dict[str, DataFrame]:
        options = {"password": self.server.PASSWORD, **options}
        return gs.postgres(spark, self.dsn, tables or ("accounts", "branches"), **options)


@pytest.fixture
def bank(postgres: Postgres) -> Bank:
    if postgres.process is None:
        postgres.start()
    return Bank(postgres)


def started(spark: SparkSession, bank: Bank, location: Path, **options: Any) -> Any:
    tables = bank.frames(spark)
    pipeline = gs.pipeline(spark, str(location), **options)
    pipeline.view("accounts_now", tables["accounts"])
    pipeline.view("money", tables["accounts"].selectExpr("sum(balance) s", "count(*) n"))
    pipeline.view("branches_now", tables["branches"])
    return pipeline.start(queryName="bank")


def rows(spark: SparkSession, location: Path, view: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(r) for r in gs.read_view(spark, str(location), view).collect())


def test_a_snapshot_then_every_change(session: SparkSession, bank: Bank, tmp_path: Path) -> None:
    query = started(session, bank, tmp_path)
    try:
        query.processAllAvailable()
        assert rows(session, tmp_path, "accounts_now") == bank.run("SELECT * FROM accounts")
        bank.run("UPDATE accounts SET balance = balance - 5, owner = NULL WHERE id = 1")
        bank.run("UPDATE accounts SET id = 77 WHERE id = 2")
        bank.run("DELETE FROM accounts WHERE id = 3")
        bank.run("INSERT INTO accounts VALUES (99, '', 5)")
        bank.run("UPDATE branches SET total = 7")
        query.processAllAvailable()
        want = sorted(bank.run("SELECT * FROM accounts"))
        assert rows(session, tmp_path, "accounts_now") == want
        assert rows(session, tmp_path, "money") == [(900, 10)]
        assert rows(session, tmp_path, "branches_now") == [(1, 7)]
    finally:
        query.stop()
    bank.run("UPDATE accounts SET balance = 0 WHERE id = 4")
    query = started(session, bank, tmp_path)
    try:
        query.processAllAvailable()
        assert rows(session, tmp_path, "money") == [(800, 10)]
    finally:
        query.stop()


def test_a_table_first_read_by_a_later_view_is_refused(
    session: SparkSession, bank: Bank, tmp_path: Path
):
    tables = bank.frames(session)
    pipeline = gs.pipeline(session, str(tmp_path))
    pipeline.view("accounts_now", tables["accounts"])
    query = pipeline.start(queryName="first")
    try:
        query.processAllAvailable()
    finally:
        query.stop()
    tables = bank.frames(session)
    pipeline = gs.pipeline(session, str(tmp_path))
    pipeline.view("accounts_now", tables["accounts"])
    pipeline.view("branches_now", tables["branches"])
    with pytest.raises(gs.DefinitionChanged, match="no view has read branches so far"):
        pipeline.start(queryName="second")
