"""CREATE SINK: to files, into tables, of views and queries; what it refuses."""

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.sql.executor import REGISTRY
from sql.conftest import rows


def in_files(folder: Path) -> list[int]:
    texts = [file.read_text("utf-8") for file in folder.glob("*.json")]
    return sorted(json.loads(line)["a"] for text in texts for line in text.splitlines())


def test_a_sink_takes_each_epoch_once_over_drops_and_restarts(
    session: SparkSession, tmp_path: Path
) -> None:
    place, out, later = tmp_path / "p", tmp_path / "out", tmp_path / "later"
    session.sql(f"CREATE PIPELINE p LOCATION '{place}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (a int) APPEND ONLY")
    session.sql("INSERT INTO t VALUES (1), (20)")
    session.sql("FLUSH")
    session.sql(
        "CREATE SINK small AS SELECT a FROM t WHERE a < 10 "
        f"WITH (connector = 'file', format = 'json', path = '{out}', type = 'append-only')"
    )
    session.sql("INSERT INTO t VALUES (2), (30)")
    session.sql("FLUSH")
    assert in_files(out) == [1, 2]
    assert [r.tableName for r in session.sql("SHOW TABLES").collect()] == ["t"]
    (shown,) = session.sql("SHOW SINKS").collect()
    assert shown.name == "small"
    assert "CREATE SINK small" in session.sql("SHOW CREATE SINK small").head()[0]  # type: ignore[index]
    with pytest.raises(gs.ConfigurationError, match="it is read by sink small"):
        session.sql("DROP TABLE t")
    session.sql("DROP PIPELINE p")
    session.sql(f"CREATE PIPELINE IF NOT EXISTS p LOCATION '{place}'")
    session.sql("INSERT INTO t VALUES (3)")
    session.sql("FLUSH")
    assert in_files(out) == [1, 2, 3]
    session.sql("DROP SINK small")
    session.sql("INSERT INTO t VALUES (4)")
    session.sql("FLUSH")
    assert in_files(out) == [1, 2, 3]
    session.sql(f"CREATE SINK small FROM t WITH (connector = 'json', path = '{later}')")
    assert in_files(later) == [1, 2, 3, 4, 20, 30], "another sink of that name begins anew"


def test_a_sink_into_a_table_follows_its_view(session: SparkSession, tmp_path: Path) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (id int PRIMARY KEY, v int)")
    session.sql("CREATE TABLE best (v int, n bigint, note string, PRIMARY KEY (v))")
    session.sql("CREATE MATERIALIZED VIEW counts AS SELECT v, count(*) n FROM t GROUP BY v")
    session.sql("INSERT INTO t VALUES (1, 10), (2, 10), (3, 7)")
    session.sql("FLUSH")
    session.sql("CREATE SINK k INTO best FROM counts")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM best") == [(7, 1, None), (10, 2, None)]
    session.sql("DELETE FROM t WHERE id = 3")
    session.sql("UPDATE t SET v = 11 WHERE id = 2")
    session.sql("FLUSH")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM best") == [(10, 1, None), (11, 1, None)]
    assert rows(session, "SELECT * FROM counts") == [(10, 1), (11, 1)]

    session.sql("CREATE MATERIALIZED VIEW above AS SELECT v, n FROM best WHERE n > 5")
    for statement, error in [
        ("CREATE SINK c INTO best AS SELECT v, n FROM above", "sink c reads what it writes"),
        ("CREATE SINK c INTO t AS SELECT v AS id, v FROM above", "sink c reads what it writes"),
        ("CREATE SINK c INTO best FROM nothing", "there is no table, source or mat"),
        ("CREATE SINK c INTO nothing FROM counts", "there is no table 'nothing'"),
        ("CREATE SINK c INTO best AS SELECT v, n m FROM counts", "has no column m"),
        ("CREATE SINK c FROM counts WITH (connector = 'kafak')", "did you mean 'kafka'"),
        ("CREATE SINK c FROM counts WITH (connector = 'kafka', topick = 'x')", "mean 'topic'"),
        ("CREATE SINK c FROM counts WITH (connector = 'json', path = '/tmp/x')", "only append"),
        (
            "CREATE SINK c FROM counts WITH (connector = 'postgres', table = 'x', "
            "password = 'hush')",
            "password_env",
        ),
        (
            "CREATE SINK c FROM counts WITH (connector = 'postgres', table = 'x', "
            "dsn = 'postgresql://me:hush@db/shop')",
            "password_env",
        ),
    ]:
        with pytest.raises(gs.GroundswellError) as e:
            session.sql(statement)
        assert error in str(e.value), statement
        assert "hush" not in str(e.value)
    kept = b"".join(f.read_bytes() for f in (tmp_path / "p").rglob("*") if f.is_file())
    assert b"hush" not in kept
    assert [r.name for r in session.sql("SHOW SINKS").collect()] == ["k"]
    assert {r.name for r in session.sql("SHOW JOBS").collect()} == {"counts", "k", "above"}
    with pytest.raises(gs.ConfigurationError, match=r"read by .*sink k"):
        session.sql("DROP TABLE best")
    session.sql("DROP TABLE t CASCADE")
    assert session.sql("SHOW SINKS").collect() == []
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None
    assert pipeline.running
