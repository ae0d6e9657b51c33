"""``ALTER MATERIALIZED VIEW``: a view stands still, and is filled again."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs


def rows(spark: SparkSession, query: str) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in spark.sql(query).collect())


def test_a_view_is_suspended_and_resumed(session: SparkSession, tmp_path: Path) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (id int PRIMARY KEY, v int)")
    session.sql("CREATE MATERIALIZED VIEW n AS SELECT v, count(*) n FROM t GROUP BY v")
    session.sql("CREATE MATERIALIZED VIEW big AS SELECT v FROM n WHERE n > 1")
    session.sql("CREATE MATERIALIZED VIEW s AS SELECT sum(v) AS s FROM t")
    session.sql("INSERT INTO t VALUES (1, 10), (2, 20), (3, 20)")
    session.sql("FLUSH")
    for wrong, why in (
        ("ALTER MATERIALIZED VIEW m SUSPEND", "no materialized view 'm'; it has n, big, s"),
        ("ALTER MATERIALIZED VIEW n RESUME", "not set aside"),
        ("ALTER MATERIALIZED VIEW n PAUSE", "expected RENAME TO, SUSPEND, RESUME, not 'PAUSE'"),
        ("ALTER TABLE t SUSPEND", "expected RENAME TO, RENAME COLUMN"),
    ):
        with pytest.raises(gs.GroundswellError, match=why):
            session.sql(wrong)
    session.sql("ALTER MATERIALIZED VIEW n SUSPEND")
    session.sql("INSERT INTO t VALUES (4, 10)")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM n") == [(10, 1), (20, 2)]
    assert rows(session, "SELECT * FROM big") == [(20,)]
    assert rows(session, "SELECT * FROM s") == [(60,)]
    assert rows(session, "SELECT s, v, n FROM s, n") == [(60, 10, 1), (60, 20, 2)]
    jobs = {row["name"]: row["state"] for row in session.sql("SHOW JOBS").collect()}
    assert jobs["n"] == jobs["big"] == "set aside" != jobs["s"]
    with pytest.raises(gs.ConfigurationError, match="it reads 'n'"):
        session.sql("ALTER MATERIALIZED VIEW big RESUME")
    session.sql("ALTER MATERIALIZED VIEW n RESUME")
    assert rows(session, "SELECT * FROM n") == [(10, 2), (20, 2)]
    assert rows(session, "SELECT * FROM big") == [(10,), (20,)]
