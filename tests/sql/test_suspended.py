"""``ALTER MATERIALIZED VIEW``: a view stands still, and is filled again."""

from pathlib import Path

import pytest
from pyspark.sql import Row, SparkSession

import groundswell as gs
from sql.conftest import reopened, rows


def jobs_of(spark: SparkSession) -> list[Row]:
    return spark.sql("SHOW JOBS").collect()


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
    jobs = {row["name"]: row["state"] for row in jobs_of(session)}
    assert jobs == {"n": "suspended", "big": "suspended", "s": "running"}
    with pytest.raises(gs.ConfigurationError, match="ALTER MATERIALIZED VIEW n RESUME"):
        session.sql("ALTER MATERIALIZED VIEW n SUSPEND")
    with pytest.raises(gs.ConfigurationError, match="it reads 'n'"):
        session.sql("ALTER MATERIALIZED VIEW big RESUME")
    for state in ("stopped", "running"):
        if state == "stopped":
            reopened(session, str(tmp_path / "p"))
        else:
            session.sql("FLUSH")
        told = {row["name"]: (row["state"], row["epoch"]) for row in jobs_of(session)}
        assert {name: told[name][0] for name in told} == {**jobs, "s": state}
        assert told["n"] == told["big"]
        assert told["n"][1] < told["s"][1]
    (told,) = session.sql("EXPLAIN ALTER MATERIALIZED VIEW n RESUME").collect()
    assert "backfill" in told[0]
    session.sql("ALTER MATERIALIZED VIEW n RESUME")
    assert rows(session, "SELECT * FROM n") == [(10, 2), (20, 2)]
    assert rows(session, "SELECT * FROM big") == [(10,), (20,)]


@pytest.mark.rest
def test_a_view_that_stands_still_stays_as_it_is_when_what_it_reads_is_suspended(
    session: SparkSession, tmp_path: Path
) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (id int PRIMARY KEY)")
    session.sql("CREATE MATERIALIZED VIEW n AS SELECT count(*) AS n FROM t")
    session.sql("CREATE MATERIALIZED VIEW twice AS SELECT 2 * n AS n FROM n")
    session.sql("CREATE MATERIALIZED VIEW s AS SELECT sum(id) AS s FROM t")
    for number, suspended in enumerate(("twice", "n", None), 1):
        session.sql(f"INSERT INTO t VALUES ({number})")
        session.sql("FLUSH")
        if suspended:
            session.sql(f"ALTER MATERIALIZED VIEW {suspended} SUSPEND")
    for again in (False, True):
        if again:
            reopened(session, str(tmp_path / "p"))
        assert rows(session, "SELECT * FROM twice") == [(2,)]
        assert rows(session, "SELECT * FROM n") == [(2,)]
        assert rows(session, "SELECT * FROM s") == [(6,)]
        with pytest.raises(gs.ConfigurationError, match="ALTER MATERIALIZED VIEW n RESUME"):
            session.sql("ALTER MATERIALIZED VIEW twice RESUME")
    session.sql("ALTER MATERIALIZED VIEW n RESUME")
    assert rows(session, "SELECT * FROM n") == [(3,)]
    assert rows(session, "SELECT * FROM twice") == [(2,)]
    session.sql("ALTER MATERIALIZED VIEW twice RESUME")
    assert rows(session, "SELECT * FROM twice") == [(6,)]


@pytest.mark.rest
def test_explain_tells_of_every_alter(session: SparkSession, tmp_path: Path) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (id int PRIMARY KEY, v int)")
    session.sql("CREATE MATERIALIZED VIEW n AS SELECT v, count(*) n FROM t GROUP BY v")
    session.sql("CREATE MATERIALIZED VIEW s AS SELECT sum(v) AS s FROM t")
    session.sql("INSERT INTO t VALUES (1, 10)")
    session.sql("FLUSH")
    for text, told in {
        "ALTER PIPELINE p SET PARALLELISM 3": "move",
        "ALTER PIPELINE p SET (retainEpochs = 5)": "keep",
        "ALTER MATERIALIZED VIEW n SUSPEND": "suspended n",
        "ALTER MATERIALIZED VIEW IF EXISTS m SUSPEND": "it changes nothing",
        "ALTER TABLE IF EXISTS m ADD COLUMN a int": "it changes nothing",
    }.items():
        ((shown,),) = session.sql(f"EXPLAIN {text}").collect()
        assert told in " ".join(shown.split()), text
    for missing in ("TABLE IF EXISTS m RENAME TO x", "PIPELINE IF EXISTS m SET PARALLELISM 2"):
        session.sql(f"ALTER {missing}")
    session.sql("ALTER TABLE t RENAME TO T")
    assert [row.tableName for row in session.sql("SHOW TABLES").collect()] == ["n", "s", "T"]
    session.sql("USE spark_catalog")
    session.sql("USE groundswell")
    with pytest.raises(Exception, match=r"USE groundswell\.<pipeline> before"):
        session.sql("CREATE TABLE u (a int)")
