"""Tables of PostgreSQL that SQL makes: one stream and one slot for all of a pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell import confs
from groundswell.sql.executor import REGISTRY
from systems.bank import Bank
from systems.servers import Postgres, wait_for


@pytest.fixture(scope="module")
def session(_contexts: Any) -> Iterator[SparkSession]:
    spark = _contexts.get({confs.EXTENSIONS_KEY: confs.EXTENSIONS}).newSession()
    spark.conf.set(confs.FILE_MANAGER_KEY, confs.FILE_MANAGER)
    yield spark
    for query in spark.streams.active:
        query.stop()


@pytest.fixture
def bank(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> Bank:
    monkeypatch.setenv("BANK_PASSWORD", postgres.PASSWORD)
    return Bank(postgres)


@pytest.fixture
def pipeline(session: SparkSession, bank: Bank, tmp_path: Path) -> Iterator[SparkSession]:
    made(session, tmp_path)
    yield session
    for each in REGISTRY.all(session):
        each.stop()
        REGISTRY.remove(session, each.name)
    session.sql("USE spark_catalog.default")


def made(spark: SparkSession, folder: Path) -> None:
    spark.sql(f"CREATE PIPELINE IF NOT EXISTS bank LOCATION '{folder}'")
    spark.sql("USE groundswell.bank")


def options(bank: Bank, table: str = "accounts", **more: str) -> str:
    given = {
        "connector": "postgres-cdc",
        "hostname": "127.0.0.1",
        "port": str(bank.server.port),
        "username": "owner",
        "password_env": "BANK_PASSWORD",
        "database.name": "postgres",
        "table.name": table,
        **more,
    }
    return "WITH (" + ", ".join(f"{key} = '{value}'" for key, value in given.items()) + ")"


def slots(bank: Bank) -> list[str]:
    query = "SELECT slot_name FROM pg_replication_slots WHERE NOT temporary ORDER BY 1"
    return [name for (name,) in bank.run(query)]


def no_snapshot_is_held(bank: Bank) -> bool:
    return bank.run("SELECT count(*) FROM pg_replication_slots WHERE temporary") == [(0,)]


def rows(spark: SparkSession, query: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in spark.sql(query).collect())


def test_all_tables_are_read_through_one_slot(
    pipeline: SparkSession, bank: Bank, tmp_path: Path
) -> None:
    spark = pipeline
    spark.sql(f"CREATE TABLE accounts (*) {options(bank)}")
    spark.sql(
        "CREATE TABLE places (id bigint PRIMARY KEY, total decimal(20, 2)) "
        + options(bank, "branches", connector="postgres")
    )
    assert slots(bank) == []
    spark.sql(
        "CREATE MATERIALIZED VIEW money AS SELECT p.id, p.total, sum(a.balance) AS there "
        "FROM accounts a JOIN places p ON p.id = 1 GROUP BY p.id, p.total"
    )
    spark.sql("FLUSH")
    assert slots(bank) == ["groundswell_bank"]
    assert rows(spark, "SELECT id, total, there FROM money") == [(1, 1000, 1000)]
    with bank.server.connect() as connection, connection.transaction():
        connection.execute("UPDATE accounts SET balance = 0, id = 77 WHERE id = 1")
        connection.execute("UPDATE branches SET total = 900")
    spark.sql("FLUSH")
    wait_for("the end of the snapshot", lambda: no_snapshot_is_held(bank))
    assert rows(spark, "SELECT id, total, there FROM money") == [(1, 900, 900)]
    assert rows(spark, "SELECT * FROM accounts") == sorted(bank.run("SELECT * FROM accounts"))
    assert dict(spark.table("places").dtypes) == {"id": "bigint", "total": "decimal(20,2)"}

    spark.sql("CREATE MATERIALIZED VIEW rich AS SELECT id FROM accounts WHERE balance > 100")
    spark.sql("DROP PIPELINE bank")
    bank.run("UPDATE accounts SET balance = 500 WHERE id = 2")
    made(spark, tmp_path)
    spark.sql("FLUSH")
    assert rows(spark, "SELECT * FROM rich") == [(2,)]
    assert slots(bank) == ["groundswell_bank"]

    with pytest.raises(gs.ConfigurationError, match=r"runs already.*slot\.name"):
        spark.sql(f"CREATE TABLE late {options(bank)}")
    late = options(bank, "branches", **{"slot.name": "groundswell_late"})
    spark.sql(f"CREATE TABLE late {late}")
    spark.sql("FLUSH")
    assert rows(spark, "SELECT * FROM late") == [(1, 900)]
    assert slots(bank) == ["groundswell_bank", "groundswell_late"]


def test_the_password_is_nowhere(pipeline: SparkSession, bank: Bank, tmp_path: Path) -> None:
    spark = pipeline
    secret = bank.server.PASSWORD
    for key in ("password", "hostname"):
        value = secret if key == "password" else f"postgresql://owner:{secret}@127.0.0.1"
        with pytest.raises(gs.ConfigurationError) as raised:
            spark.sql(f"CREATE TABLE a {options(bank, **{key: value})}")
        assert secret not in str(raised.value)
    spark.sql(f"CREATE TABLE a {options(bank)}")
    spark.sql("CREATE MATERIALIZED VIEW v AS SELECT id FROM a")
    spark.sql("FLUSH")
    shown = [
        *spark.sql("SHOW CREATE TABLE a").collect(),
        *spark.sql("SHOW TABLES").collect(),
        *spark.sql("EXPLAIN CREATE MATERIALIZED VIEW w AS SELECT owner FROM a").collect(),
        *spark.sql("EXPLAIN EXTENDED SELECT * FROM a").collect(),
    ]
    assert "BANK_PASSWORD" in str(shown)
    assert secret not in str(shown)
    spark.sql("DROP PIPELINE bank")
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if secret.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("columns", "more", "said"),
    [
        ("", {"hostnam": "x"}, "did you mean 'hostname'|Did you mean 'hostname'"),
        ("", {"database.name": ""}, "needs the option database.name"),
        ("", {"table.name": "nowhere"}, "nowhere"),
        ("", {"max_rows": "many"}, "max_rows is a number"),
        ("", {"port": "1"}, "127.0.0.1"),
        ("", {"slot.name": "Not-A-Slot"}, "name of a slot"),
        ("(id int PRIMARY KEY, nothing int)", {}, "no column nothing"),
        ("(id int, owner text PRIMARY KEY)", {}, r"primary key of public.accounts is \(id\)"),
        ("(owner text)", {}, "must have the primary key"),
        ("(id int, WATERMARK FOR id AS id)", {}, "(?i)watermark"),
    ],
)
def test_bad_statements_are_named_and_not_kept(
    pipeline: SparkSession, bank: Bank, columns: str, more: dict[str, str], said: str
) -> None:
    with pytest.raises(gs.GroundswellError, match=said):
        pipeline.sql(f"CREATE TABLE a {columns} {options(bank, **more)}")
    assert pipeline.sql("SHOW TABLES").collect() == []
    assert slots(bank) == []


def test_tables_of_a_slot_must_agree(pipeline: SparkSession, bank: Bank) -> None:
    pipeline.sql(f"CREATE TABLE a {options(bank)}")
    with pytest.raises(gs.ConfigurationError, match="max_rows = '7' and table a has no max_rows"):
        pipeline.sql(f"CREATE TABLE b {options(bank, 'branches', max_rows='7')}")
    with pytest.raises(gs.SourceError, match="nowhere"):
        pipeline.sql(f"CREATE TABLE b {options(bank, 'nowhere')}")
    pipeline.sql(f"CREATE TABLE b {options(bank, 'branches')}")
    pipeline.sql("FLUSH")
    assert rows(pipeline, "SELECT total FROM b") == [(1000,)]
