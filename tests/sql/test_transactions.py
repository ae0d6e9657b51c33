"""BEGIN, COMMIT and ROLLBACK: several writes, one barrier."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import ParseException
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.sql.executor import REGISTRY

TABLES = (
    "CREATE TABLE a (id bigint PRIMARY KEY, x bigint)",
    "CREATE TABLE b (id bigint PRIMARY KEY, x bigint)",
    "CREATE TABLE log (said string)",
    "CREATE TABLE events (said string) APPEND ONLY",
    "CREATE MATERIALIZED VIEW total AS "
    "SELECT coalesce(sum(x), 0) AS x FROM (SELECT * FROM a UNION ALL SELECT * FROM b)",
)


@pytest.fixture
def sql(session: SparkSession, tmp_path: Path) -> Iterator[Any]:
    """Runs a statement of a pipeline with tables ``a``, ``b``, ``log`` and ``events``."""
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    for text in TABLES:
        session.sql(text)
    yield session.sql
    with suppress(gs.ConfigurationError):
        session.sql("ROLLBACK")


def rows(sql: Any, query: str) -> list[tuple[object, ...]]:
    sql("FLUSH")
    return sorted(tuple(row) for row in sql(query).collect())


def test_a_transaction_is_one_barrier(sql: Any, session: SparkSession, tmp_path: Path) -> None:
    sql("INSERT INTO a VALUES (1, 50), (2, 50)")
    sql("INSERT INTO b VALUES (1, 0)")
    assert rows(sql, "SELECT x FROM total") == [(100,)]
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None
    before = pipeline.newest()
    assert before is not None
    sql("BEGIN")
    sql("UPDATE a SET x = x - 10 WHERE id = 1")
    sql("UPDATE a SET x = x - 5 WHERE id = 1")  # of what the transaction has written
    sql("INSERT INTO b VALUES (7, 15)")
    sql("DELETE FROM b WHERE id = 1")
    sql("MERGE INTO a USING (SELECT 2 AS id) s ON a.id = s.id WHEN MATCHED THEN UPDATE SET x = x")
    sql("INSERT INTO log VALUES ('moved')")
    sql("UPDATE log SET said = upper(said)")
    sql("INSERT INTO events VALUES ('moved')")
    assert rows_of_another(session, "SELECT id, x FROM a") == [(1, 50), (2, 50)]
    sql("COMMIT")
    assert rows(sql, "SELECT * FROM a") == [(1, 35), (2, 50)]
    assert rows(sql, "SELECT * FROM b") == [(7, 15)]
    assert rows(sql, "SELECT * FROM log") == [("MOVED",)]
    assert rows(sql, "SELECT * FROM events") == [("moved",)]
    newest = pipeline.newest()
    assert newest is not None
    totals = {
        epoch: [row.x for row in gs.read_view(session, pipeline.location, "total", epoch).collect()]
        for epoch in range(before, newest + 1)
    }
    assert set(map(tuple, totals.values())) == {(100,)}, totals
    taken = [
        sorted(name for name, n in done["sources"].items() if n)
        for done in pipeline.query.recentProgress  # type: ignore[union-attr]
        if done["epoch"] > before
    ]
    assert [each for each in taken if each] == [["a", "b", "events", "log"]]
    assert not list((tmp_path / "p" / "groundswell" / "transactions").rglob("*"))


def rows_of_another(session: SparkSession, query: str) -> list[tuple[object, ...]]:
    """What another session sees, after a barrier of its own."""
    other = session.newSession()
    other.sql("USE groundswell.p")
    return rows(other.sql, query)


def test_rollback_leaves_nothing(sql: Any, tmp_path: Path) -> None:
    sql("START TRANSACTION")
    sql("INSERT INTO a VALUES (1, 1)")
    sql("INSERT INTO b VALUES (1, 1)")
    assert list((tmp_path / "p" / "groundswell" / "transactions").rglob("*.parquet"))
    sql("ROLLBACK WORK")
    assert rows(sql, "SELECT * FROM a UNION ALL SELECT * FROM b") == []
    assert not list((tmp_path / "p" / "groundswell" / "transactions").rglob("*"))
    with pytest.raises(gs.ConfigurationError, match="no transaction open"):
        sql("ROLLBACK")
    with pytest.raises(gs.ConfigurationError, match="no transaction open"):
        sql("COMMIT")


@pytest.mark.rest
def test_a_statement_that_fails_aborts_the_transaction(sql: Any) -> None:
    sql("BEGIN TRANSACTION")
    with pytest.raises(gs.ConfigurationError, match="transaction open"):
        sql("BEGIN")
    sql("INSERT INTO a VALUES (1, 1)")
    with pytest.raises(gs.GroundswellError, match="nothing"):
        sql("INSERT INTO nothing VALUES (1, 1)")
    with pytest.raises(gs.IllegalState, match=r"aborted, since INSERT nothing failed .*ROLLBACK"):
        sql("INSERT INTO b VALUES (1, 1)")
    with pytest.raises(gs.IllegalState, match="nothing was written, since INSERT nothing failed"):
        sql("COMMIT")
    assert rows(sql, "SELECT * FROM a UNION ALL SELECT * FROM b") == []
    sql("BEGIN")
    with pytest.raises(gs.ConfigurationError, match="DROP MATERIALIZED VIEW total cannot be part"):
        sql("DROP MATERIALIZED VIEW total")
    with pytest.raises(gs.IllegalState, match="aborted"):
        sql("FLUSH")
    sql("ROLLBACK")
    sql("DROP MATERIALIZED VIEW total")


@pytest.mark.rest
def test_a_query_over_what_the_transaction_wrote_is_refused(sql: Any) -> None:
    sql("INSERT INTO a VALUES (1, 1)")
    sql("FLUSH")
    sql("BEGIN")
    assert sql("SELECT count(*) AS n FROM a").collect() == [(1,)]
    sql("INSERT INTO b SELECT id, x FROM a")
    with pytest.raises(gs.ConfigurationError, match="table b was written to in this transaction"):
        sql("SELECT * FROM b").collect()
    assert sql("SELECT x FROM total").collect() == [(1,)], "views are as they were"
    sql("COMMIT")
    assert rows(sql, "SELECT * FROM b") == [(1, 1)]


@pytest.mark.rest
def test_a_transaction_is_of_one_pipeline_and_its_session(
    sql: Any, session: SparkSession, tmp_path: Path
) -> None:
    sql(f"CREATE PIPELINE q LOCATION '{tmp_path / 'q'}'")
    sql("CREATE TABLE groundswell.q.t (id bigint PRIMARY KEY)")
    sql("BEGIN")
    sql("INSERT INTO a VALUES (1, 1)")
    assert rows_of_another(session, "SELECT * FROM a") == []
    with pytest.raises(gs.ConfigurationError, match="writes to pipeline p, and one barrier cannot"):
        sql("INSERT INTO groundswell.q.t VALUES (1)")
    sql("ROLLBACK")


@pytest.mark.rest
def test_a_block_of_spark_is_no_transaction(sql: Any) -> None:
    with pytest.raises((ParseException, gs.SqlSyntaxError)):
        sql("COMMIT everything")
    assert sql("BEGIN SELECT 1 AS one; END").collect() == [(1,)]
