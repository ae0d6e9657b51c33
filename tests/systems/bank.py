"""A server with accounts, and those who move money between them."""

from __future__ import annotations

import random
import threading
import time
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from systems.servers import Postgres


class Bank:
    """A server with two tables, and nothing else: no slot, no publication."""

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

    def fill(self, accounts: int) -> None:
        """Each has 100."""
        self.run("DELETE FROM accounts")
        self.run(
            f"INSERT INTO accounts SELECT g, 'o' || g, 100 FROM generate_series(1, {accounts}) g"
        )


class Transfers(threading.Thread):
    """Moves money between random accounts, some of it in vain, until it is told to stop.

    While the server is away it waits.
    """

    def __init__(self, bank: Bank, accounts: int, seed: int, pause: float = 0) -> None:
        super().__init__(daemon=True)
        self.bank = bank
        self.accounts = accounts
        self.pause = pause
        self.done = 0
        self.lost = 0
        self.over = threading.Event()
        self._rng = random.Random(seed)

    def run(self) -> None:
        import psycopg

        while not self.over.is_set():
            try:
                with self.bank.server.connect() as connection:
                    connection.autocommit = False
                    while not self.over.is_set():
                        self._move(connection)
            except psycopg.OperationalError:
                self.lost += 1
                time.sleep(0.1)

    def _move(self, connection: Any) -> None:
        one, other = self._rng.sample(range(1, self.accounts + 1), 2)
        amount = self._rng.randrange(1, 50)
        move = "UPDATE accounts SET balance = balance + %s WHERE id = %s"
        connection.execute(move, (-amount, one))
        connection.execute(move, (amount, other))
        if self._rng.random() < 0.1:
            connection.rollback()
        else:
            connection.commit()
            self.done += 1
        if self.pause:
            time.sleep(self.pause)
