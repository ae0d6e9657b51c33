"""Tables of a real MariaDB as sources of views: over restarts, kills, and from SQL."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell import confs
from groundswell.sql.executor import REGISTRY
from systems.servers import MariaDb

ACCOUNTS = 50


@pytest.fixture(scope="module")
def session(_contexts: Any) -> Iterator[SparkSession]:
    spark = _contexts.get({confs.EXTENSIONS_KEY: confs.EXTENSIONS}).newSession()
    spark.conf.set(confs.FILE_MANAGER_KEY, confs.FILE_MANAGER)
    yield spark
    for query in spark.streams.active:
        query.stop()


@pytest.fixture
def bank(mariadb: MariaDb, monkeypatch: pytest.MonkeyPatch) -> Iterator[MariaDb]:
    monkeypatch.setenv("BANK_PASSWORD", mariadb.PASSWORD)
    mariadb.run(
        "CREATE TABLE branches (id int PRIMARY KEY, city varchar(20))",
        "CREATE TABLE accounts (id int PRIMARY KEY, branch int, balance bigint)",
        "INSERT INTO branches VALUES (0, 'Basel'), (1, 'Bern'), (2, 'Zürich')",
        "INSERT INTO accounts VALUES " + ", ".join(f"({i}, {i % 3}, 100)" for i in range(ACCOUNTS)),
    )
    yield mariadb
    for table in ("branches", "accounts"):
        mariadb.run(f"DROP TABLE IF EXISTS {table}")


def transfer(bank: MariaDb, rng: random.Random) -> None:
    """Moves money between two accounts, in one transaction."""
    a, b, amount = rng.randrange(ACCOUNTS), rng.randrange(ACCOUNTS), rng.randrange(50)
    bank.run(
        "BEGIN",
        f"UPDATE accounts SET balance = balance - {amount} WHERE id = {a}",
        f"UPDATE accounts SET balance = balance + {amount} WHERE id = {b}",
        "COMMIT",
    )


def start(
    spark: SparkSession, location: Path, bank: MariaDb, options: dict[str, Any], **trigger: Any
) -> Any:
    tables = gs.mysql(
        spark, bank.url, ["accounts", "branches"], password_env="BANK_PASSWORD", max_rows=5
    )
    accounts, branches = tables["accounts"], tables["branches"]
    p = gs.pipeline(spark, str(location), partitions=2, **options)
    p.view("accounts", accounts)
    p.view("money", accounts.agg(F.sum("balance").alias("s"), F.count("*").alias("n")))
    joined = accounts.join(branches.withColumnRenamed("id", "branch"), "branch")
    p.view("cities", joined.groupBy("city").agg(F.sum("balance").alias("s")))
    return p.start(**trigger)


def view(spark: SparkSession, location: Path, name: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(r) for r in gs.read_view(spark, str(location), name).collect())


CITIES = (
    "SELECT city, CAST(sum(balance) AS signed) FROM accounts a JOIN branches b ON b.id = a.branch "
    "GROUP BY city ORDER BY city"
)


def same(spark: SparkSession, location: Path, bank: MariaDb) -> None:
    assert view(spark, location, "accounts") == sorted(bank.rows("SELECT * FROM accounts"))  # type: ignore[type-var]
    assert view(spark, location, "cities") == bank.rows(CITIES)


@pytest.mark.parametrize("options", [{}, {"maxBarrierRows": 20}], ids=["whole", "parts"])
def test_views_follow_the_tables_over_a_restart(
    session: SparkSession, tmp_path: Path, bank: MariaDb, options: dict[str, Any]
) -> None:
    rng = random.Random(1)
    query = start(session, tmp_path, bank, options)
    try:
        query.processAllAvailable()
        same(session, tmp_path, bank)
        for _ in range(5):
            transfer(bank, rng)
        bank.run("UPDATE accounts SET id = 1000 WHERE id = 3", "DELETE FROM accounts WHERE id = 4")
        query.processAllAvailable()
        same(session, tmp_path, bank)
    finally:
        query.stop()
    bank.run("DELETE FROM branches WHERE id = 2", "INSERT INTO accounts VALUES (3, 0, 7)")
    start(session, tmp_path, bank, options, availableNow=True).awaitTermination()
    same(session, tmp_path, bank)


def test_a_backlog_of_a_quiet_server_takes_few_connections(
    session: SparkSession, tmp_path: Path, bank: MariaDb
) -> None:
    """Each barrier left connections behind, which a server that nobody writes to kept."""
    tables = gs.mysql(
        session, bank.url, ["accounts"], password_env="BANK_PASSWORD", max_rows=2, retry_seconds=5
    )

    def catch_up() -> gs.IncrementalQuery:
        p = gs.pipeline(session, str(tmp_path), partitions=2)
        query = p.view("accounts", tables["accounts"]).start(availableNow=True)
        query.awaitTermination()
        return query

    catch_up()
    rng = random.Random(1)
    for _ in range(30):
        transfer(bank, rng)
    bank.run("SET GLOBAL max_connections = 20")
    try:
        query = catch_up()
    finally:
        bank.run("SET GLOBAL max_connections = 151")
    assert len(query.recentProgress) >= 20
    assert view(session, tmp_path, "accounts") == sorted(bank.rows("SELECT * FROM accounts"))  # type: ignore[type-var]


_RUN = """
import sys
import groundswell as gs
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
zone = "spark.sql.session.timeZone"
spark = gs.configure(SparkSession.builder.master("local[2]").config(zone, "UTC")).getOrCreate()
tables = gs.mysql(spark, sys.argv[1], ["accounts", "branches"], password_env="BANK_PASSWORD",
                  max_rows=5)
accounts, branches = tables["accounts"], tables["branches"]
sums = open(sys.argv[3], "a")
def note(rows, epoch):
    for row in rows.where("_change_type IN ('insert', 'update_postimage')").collect():
        print(epoch, row["s"], row["n"], file=sums, flush=True)
p = gs.pipeline(spark, sys.argv[2], partitions=2)
p.view("accounts", accounts)
p.view("money", accounts.agg(F.sum("balance").alias("s"), F.count("*").alias("n")), note)
joined = accounts.join(branches.withColumnRenamed("id", "branch"), "branch")
p.view("cities", joined.groupBy("city").agg(F.sum("balance").alias("s")))
p.start().awaitTermination()
"""


def test_a_pipeline_and_a_server_that_are_killed_lose_nothing(
    session: SparkSession, tmp_path: Path, bank: MariaDb
) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    rng = random.Random(seed)
    location, sums = tmp_path / "run", tmp_path / "sums"
    command = [sys.executable, "-c", _RUN, bank.url, str(location), str(sums)]
    for turn in range(2):
        with subprocess.Popen(command, start_new_session=True) as run:
            try:
                done = len(list(location.glob("groundswell/epochs/*.json")))
                until = time.monotonic() + 400
                while len(list(location.glob("groundswell/epochs/*.json"))) < done + 2:
                    assert time.monotonic() < until, "no epoch"
                    assert run.poll() is None, "it ended by itself"
                    transfer(bank, rng)
                    time.sleep(0.05)
                if turn == 0:
                    bank.kill()
                    bank.start()
            finally:
                if run.poll() is None:
                    os.killpg(run.pid, signal.SIGKILL)
        transfer(bank, rng)
    start(session, location, bank, {}, availableNow=True).awaitTermination()
    same(session, location, bank)
    assert view(session, location, "money") == [(100 * ACCOUNTS, ACCOUNTS)]
    noted = {tuple(line.split()[1:]) for line in sums.read_text().splitlines()}
    assert noted == {(str(100 * ACCOUNTS), str(ACCOUNTS))}  # no epoch saw half a transfer


@pytest.fixture
def pipeline(session: SparkSession, bank: MariaDb, tmp_path: Path) -> Iterator[SparkSession]:
    session.sql(f"CREATE PIPELINE bank LOCATION '{tmp_path}'")
    session.sql("USE groundswell.bank")
    yield session
    for each in REGISTRY.all(session):
        each.stop()
        REGISTRY.remove(session, each.name)
    session.sql("USE spark_catalog.default")


def with_(bank: MariaDb, **more: str) -> str:
    given = {
        "connector": "mysql",
        "hostname": "127.0.0.1",
        "port": str(bank.port),
        "username": "owner",
        "password_env": "BANK_PASSWORD",
        "database.name": "shop",
        **more,
    }
    return "WITH (" + ", ".join(f"{key} = '{value}'" for key, value in given.items()) + ")"


def test_tables_of_sql_share_one_stream(pipeline: SparkSession, bank: MariaDb) -> None:
    pipeline.sql(f"CREATE TABLE accounts {with_(bank)}")
    pipeline.sql(f"CREATE SOURCE b (id int, city string, PRIMARY KEY (id)) "
                 f"{with_(bank, **{'table.name': 'branches'})}")  # fmt: skip
    pipeline.sql(
        "CREATE MATERIALIZED VIEW cities AS SELECT city, sum(balance) s FROM accounts a "
        "JOIN b ON b.id = a.branch GROUP BY city"
    )
    pipeline.sql("FLUSH")
    bank.run("BEGIN", "UPDATE accounts SET balance = 5 WHERE id = 1",
             "DELETE FROM branches WHERE id = 2", "COMMIT")  # fmt: skip
    pipeline.sql("FLUSH")
    found = sorted(tuple(row) for row in pipeline.sql("SELECT * FROM cities").collect())
    assert found == bank.rows(CITIES)
    found = sorted(tuple(row) for row in pipeline.sql("SELECT * FROM accounts").collect())
    assert found == sorted(bank.rows("SELECT * FROM accounts"))  # type: ignore[type-var]
    for given, said in (
        (with_(bank, password="hunter2"), "password"),
        (with_(bank, pasword_env="X"), "mean 'password_env'"),
        (with_(bank, max_rows="x", **{"stream.name": "o"}), "max_rows is a number, got 'x'"),
        (
            with_(bank, truncate="no", **{"stream.name": "o"}),
            "truncate must be one of error, ignore",
        ),
        (with_(bank, max_rows="7"), "stream mysql_bank runs already, and has passed the rows"),
        (
            with_(bank, **{"table.name": "none", "stream.name": "o"}),
            "there is no table 'shop.none'",
        ),
    ):
        with pytest.raises(gs.GroundswellError, match=said) as caught:
            pipeline.sql(f"CREATE SOURCE bad {given}")
        assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "options", "said"),
    [
        ("127.0.0.1", {}, "needs a url as 'mysql://"),
        ("mysql://owner:hunter2@127.0.0.1:1/shop", {}, "the MySQL server cannot be read"),
        (None, {"tables": []}, "a list of different names"),
        (None, {"new_columns": "no"}, "new_columns must be one of stop, add, ignore"),
        (None, {"password": "a", "password_env": "B"}, "give one of password"),
    ],
)
def test_bad_input_is_named(
    session: SparkSession, bank: MariaDb, url: str | None, options: dict[str, Any], said: str
) -> None:
    given = {"tables": ["accounts"], **options}
    with pytest.raises(gs.GroundswellError, match=said) as caught:
        gs.mysql(session, url or bank.url, **given)
    assert "hunter2" not in str(caught.value)
