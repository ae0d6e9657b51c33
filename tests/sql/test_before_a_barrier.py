"""A change that follows another one before any barrier has run."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from sql.conftest import reopened

pytestmark = pytest.mark.rest


def test_a_table_that_no_barrier_has_read_yet_gets_a_column(
    session: SparkSession, tmp_path: Path
) -> None:
    for text in (
        f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'",
        "USE groundswell.p",
        "CREATE TABLE w (k int PRIMARY KEY)",
        "CREATE MATERIALIZED VIEW a AS SELECT k FROM w",
        "CREATE TABLE t (id int PRIMARY KEY)",
        "ALTER MATERIALIZED VIEW a RENAME TO b",
        "CREATE MATERIALIZED VIEW v AS SELECT * FROM t",
        "ALTER TABLE t ADD COLUMN more bigint DEFAULT 2",
        "INSERT INTO t (id) VALUES (1), (2)",
        "CREATE MATERIALIZED VIEW whole AS SELECT * FROM t",
        "FLUSH",
    ):
        session.sql(text)
    for again in (False, True):
        if again:
            reopened(session, str(tmp_path / "p"))
        assert [row.id for row in session.sql("SELECT id FROM v ORDER BY id").collect()] == [1, 2]
        rows = session.sql("SELECT * FROM whole ORDER BY id").collect()
        assert [tuple(row) for row in rows] == [(1, 2), (2, 2)]
