"""Statements of ours in a session, from the first to the last."""

import time
import uuid
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import groundswell as gs
from conftest import SparkFactory
from groundswell import confs
from groundswell.columns import quoted
from groundswell.format.envelope import seal
from groundswell.jvm import JvmFolder
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import owned_name
from groundswell.sql.executor import REGISTRY
from groundswell.sql.history import log
from groundswell.sql.owning import owner, requests
from sql.conftest import rows


def test_the_life_of_a_pipeline(session: SparkSession, tmp_path: Path) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE votes (user_id int, story_id int)")
    session.sql(
        "CREATE MATERIALIZED VIEW counts AS "
        "SELECT story_id, count(*) n FROM votes GROUP BY story_id"
    )
    session.sql("INSERT INTO votes VALUES (1, 1), (2, 1), (3, 2)")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM counts") == [(1, 2), (2, 1)]
    assert rows(session, "SELECT * FROM votes") == [(1, 1), (2, 1), (3, 2)]
    session.sql("DELETE FROM votes WHERE user_id = 1 AND story_id = 1")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM counts") == [(1, 1), (2, 1)]
    assert [r.tableName for r in session.sql("SHOW TABLES").collect()] == ["votes", "counts"]
    with pytest.raises(gs.ConfigurationError, match="read by materialized view counts"):
        session.sql("DROP TABLE votes")
    (job,) = session.sql("SHOW JOBS").collect()
    assert (job.name, job.kind, job.state) == ("counts", "materialized view", "running")
    (shown,) = session.sql("SHOW PIPELINES").collect()
    assert (shown.name, shown.state, shown.epoch) == ("p", "running", job.epoch)
    (view,) = session.sql("SHOW MATERIALIZED VIEWS FROM p").collect()
    assert (view.name, "GROUP BY" in view.statement) == ("counts", True)
    assert session.sql("SHOW INDEXES").collect() == session.sql("SHOW SINKS").collect() == []
    rest = tmp_path / "p" / "groundswell" / "tables" / "votes"
    assert rest.exists()
    session.sql("DROP TABLE votes CASCADE")
    assert not rest.exists()
    assert session.sql("SHOW TABLES").collect() == []


def test_a_recursive_view_follows_its_tables(session: SparkSession, tmp_path: Path) -> None:
    session.sql(f"CREATE PIPELINE parts LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.parts")
    session.sql("CREATE TABLE uses (whole string, part string, n int, PRIMARY KEY (whole, part))")
    session.sql(
        """CREATE MATERIALIZED VIEW needed AS
        WITH RECURSIVE needs (whole, part, n) MAX RECURSION LEVEL 5 AS (
            SELECT whole, part, n FROM uses
            UNION ALL
            SELECT needs.whole, uses.part, needs.n * uses.n
            FROM needs JOIN uses ON needs.part = uses.whole)
        SELECT whole, part, sum(n) AS n FROM needs GROUP BY whole, part"""
    )
    session.sql("INSERT INTO uses VALUES ('cart', 'wheel', 2), ('wheel', 'nut', 4)")
    session.sql("FLUSH")
    found = [("cart", "nut", 8), ("cart", "wheel", 2), ("wheel", "nut", 4)]
    assert rows(session, "SELECT * FROM needed") == found
    session.sql("UPDATE uses SET n = 3 WHERE whole = 'cart'")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM needed WHERE part = 'nut'")[0] == ("cart", "nut", 12)
    session.sql("DELETE FROM uses WHERE part = 'nut'")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM needed") == [("cart", "wheel", 3)]
    session.sql("INSERT INTO uses VALUES ('wheel', 'cart', 1)")
    pipeline = REGISTRY.find(session, "parts")
    assert pipeline is not None and pipeline.query is not None
    while pipeline.query.isActive:  # it fails though nobody waits
        time.sleep(0.1)
    with pytest.raises(gs.ViewError, match=r"view needed.* new rows after 5 rounds"):
        pipeline.query.tick()
    with pytest.raises(gs.ViewError, match=r"view needed.* new rows after 5 rounds"):
        session.sql("FLUSH")


def test_a_pipeline_gets_another_parallelism(session: SparkSession, tmp_path: Path) -> None:
    place = tmp_path / "p"
    session.sql(f"CREATE PIPELINE p LOCATION '{place}' WITH (partitions = 2)")
    session.sql("USE groundswell.p")
    with pytest.raises(gs.ConfigurationError, match="p has no states"):
        session.sql("ALTER PIPELINE p SET PARALLELISM 3")
    session.sql("CREATE TABLE t (id int PRIMARY KEY, v int)")
    session.sql("CREATE MATERIALIZED VIEW n AS SELECT v, count(*) n FROM t GROUP BY v")
    session.sql("INSERT INTO t VALUES (1, 10), (2, 20), (3, 20)")
    session.sql("FLUSH")
    for wrong in ("0", "-2", "5000"):
        with pytest.raises(gs.ConfigurationError, match="1 to 4096 partitions"):
            session.sql(f"ALTER PIPELINE p SET PARALLELISM {wrong}")
    with pytest.raises(gs.ConfigurationError, match="ALTER PIPELINE <its pipeline> SET"):
        session.sql("ALTER MATERIALIZED VIEW n SET PARALLELISM 3")
    changes = (
        "SELECT v, n, _change_type FROM n CHANGES FROM VERSION 0 WITH (deduplicationMode = '{}')"
    )
    first = rows(session, changes.format("none"))
    session.sql("ALTER PIPELINE p SET PARALLELISM = 3")
    assert rows(session, changes.format("none")) == first, "told on the states before"
    session.sql("INSERT INTO t VALUES (4, 10)")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM n") == [(10, 2), (20, 2)]
    then = [(10, 1, "update_preimage"), (10, 2, "update_postimage")]
    assert rows(session, changes.format("none")) == sorted([*first, *then])
    assert rows(session, changes.format("netChanges")) == [(10, 2, "insert"), (20, 2, "insert")]
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None
    pipeline.stop()
    pipeline.start()  # CREATE PIPELINE says 2
    session.sql("INSERT INTO t VALUES (5, 30)")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM n") == [(10, 2), (20, 2), (30, 1)]
    assert EpochLog(pipeline._home.child("epochs")).newest().partitions == 3


def test_one_query_reads_one_epoch_and_older_ones_by_number(
    session: SparkSession, tmp_path: Path
) -> None:
    session.sql(
        f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}' WITH (retainEpochs = 8, retireEvery = 1)"
    )
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (id int PRIMARY KEY, v int)")
    session.sql("CREATE MATERIALIZED VIEW sums AS SELECT sum(v) s FROM t")
    session.sql("INSERT INTO t VALUES (1, 10)")
    (first,) = session.sql("FLUSH").collect()
    session.sql("INSERT INTO t VALUES (2, 5)")
    (second,) = session.sql("FLUSH").collect()
    assert second.epoch > first.epoch
    assert rows(session, f"SELECT * FROM t VERSION AS OF {first.epoch}") == [(1, 10)]
    assert rows(
        session,
        f"SELECT o.s, n.s FROM sums VERSION AS OF {first.epoch} o JOIN sums n ON true",
    ) == [(10, 15)]
    frame = session.sql("SELECT (SELECT sum(v) FROM t) a, s FROM sums")
    session.sql("INSERT INTO t VALUES (3, 1)")
    session.sql("FLUSH")
    assert frame.collect() == [(15, 15)], "a frame is of the epoch at which it was made"
    assert rows(session, "SELECT (SELECT sum(v) FROM t) a, s FROM sums") == [(16, 16)]
    # An insert or a flush may take more barriers than one: what matters is that 0 is long gone.
    for value in range(10):
        session.sql(f"INSERT INTO t VALUES (4, {value})")
        session.sql("FLUSH")
    session.sql("DELETE FROM t WHERE id = 4")
    session.sql("FLUSH")
    with pytest.raises(gs.EpochUnavailable, match=r"epoch 0 is not in .*: kept are \d+ to \d+"):
        session.sql("SELECT * FROM t VERSION AS OF 0")
    with pytest.raises(gs.EpochUnavailable, match="no epoch that is kept was published by then"):
        session.sql("SELECT * FROM t TIMESTAMP AS OF '2020-01-01'")
    now = session.sql("SELECT now()").head()[0].isoformat()
    assert rows(session, f"SELECT s FROM sums TIMESTAMP AS OF '{now}'") == [(16,)]


@pytest.mark.rest
def test_conditions_on_keys_read_no_more_than_they_need(
    session: SparkSession, tmp_path: Path
) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (id bigint PRIMARY KEY, a string, b int)")
    session.sql("CREATE INDEX by_a ON t (a, b)")
    session.sql("INSERT INTO t SELECT id, concat('a', id % 3), id % 2 FROM range(30)")
    session.sql("FLUSH")

    def plan(query: str) -> str:
        return str(session.sql(f"EXPLAIN {query}").head()[0])  # type: ignore[index]

    for query, wanted in [
        ("SELECT * FROM t WHERE id = 4", [(4, "a1", 0)]),
        ("SELECT id FROM t WHERE id IN (4, 7, 99) AND b = 1", [(7,)]),
        ("SELECT id FROM t WHERE a = 'a1' AND b = 0", [(i,) for i in range(4, 30, 6)]),
        ("SELECT id FROM t WHERE a = 'a2'", [(i,) for i in range(2, 30, 3)]),
    ]:
        assert rows(session, query) == wanted
        assert "LocalTableScan" in plan(query), plan(query)
    assert "BatchScan" in plan("SELECT * FROM t WHERE b = 1")
    assert len(rows(session, "SELECT * FROM t WHERE b = 1")) == 15


def test_definitions_are_replaced_renamed_and_built_again(
    session: SparkSession, tmp_path: Path
) -> None:
    place = str(tmp_path / "p")
    session.sql(f"CREATE PIPELINE p LOCATION '{place}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (id int PRIMARY KEY, v int)")
    session.sql("INSERT INTO t VALUES (1, 10), (2, 20)")
    session.sql("CREATE MATERIALIZED VIEW big AS SELECT id FROM t WHERE v > 15")
    session.sql("CREATE MATERIALIZED VIEW n AS SELECT count(*) n FROM big")
    session.sql("ALTER MATERIALIZED VIEW big RENAME TO large")
    session.sql("CREATE MATERIALIZED VIEW big AS SELECT id FROM large WHERE id > 5")
    with pytest.raises(
        gs.ConfigurationError, match=r"view big reads it, and .* others: id is gone; 1 is new"
    ):
        session.sql("CREATE OR REPLACE MATERIALIZED VIEW large AS SELECT 1")
    session.sql("CREATE OR REPLACE MATERIALIZED VIEW n AS SELECT count(*) + 100 n FROM large")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM n") == [(101,)]
    (made,) = session.sql("SHOW CREATE MATERIALIZED VIEW n").collect()
    assert made[0].startswith("CREATE OR REPLACE MATERIALIZED VIEW n AS SELECT count(*) + 100")
    assert "Aggregate" in str(
        session.sql(
            "EXPLAIN CREATE MATERIALIZED VIEW m AS SELECT id, count(*) FROM t GROUP BY id"
        ).head()[0]  # type: ignore[index]
    )
    session.sql("DROP PIPELINE p")
    with pytest.raises(gs.ConfigurationError, match="holds a pipeline already, by"):
        session.sql(f"CREATE PIPELINE p LOCATION '{place}'")
    with pytest.raises(gs.ConfigurationError, match=r"the pipeline in .* is called p"):
        session.sql(f"CREATE PIPELINE IF NOT EXISTS q LOCATION '{place}'")
    session.sql(f"CREATE PIPELINE IF NOT EXISTS p LOCATION '{place}'")
    session.sql("INSERT INTO t VALUES (7, 70)")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM n") == [(102,)]
    assert rows(session, "SELECT * FROM big") == [(7,)]
    names = {r[0] for r in session.sql("SHOW MATERIALIZED VIEWS").collect()}
    assert names == {"large", "big", "n"}


@pytest.mark.rest
def test_texts_with_colons_are_no_parameters(session: SparkSession, tmp_path: Path) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    folder = tmp_path / "a:b"
    folder.mkdir()
    session.sql(f"CREATE SOURCE s (a int) WITH (connector = 'json', path = 'file:{folder}')")


def test_a_location_that_cannot_be_one_is_refused_in_one_line(
    session: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    for location, says in [
        (tmp_path / "file", "is a file, not a folder"),
        (tmp_path / "file" / "c", "cannot be made"),
        ("s3a://bucket/c", "spark.jars.packages=org.apache.hadoop:hadoop-aws:"),
    ]:
        with pytest.raises(gs.ConfigurationError, match=says) as e:
            session.sql(f"CREATE PIPELINE bad LOCATION '{location}'")
        assert str(location) in str(e.value) and len(str(e.value).splitlines()) == 1
    assert session.sql("SHOW PIPELINES").collect() == []


@pytest.mark.rest
def test_what_cannot_be_is_refused_and_changes_nothing(
    session: SparkSession, tmp_path: Path
) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    with pytest.raises(gs.ConfigurationError, match="USE groundswell"):
        session.sql("CREATE SOURCE s (a int) WITH (connector = 'rate')")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (a int PRIMARY KEY, b int)")
    for statement, error in [
        (
            "CREATE SOURCE s WITH (connector = 'kafak')",
            "Did you mean 'kafka'",
        ),
        (
            "CREATE SOURCE s WITH (connector = 'rate', rowsPerSeconds = 1)",
            "no option 'rowsPerSeconds'. Did you mean 'rowsPerSecond'",
        ),
        ("CREATE TABLE u (a int) WITH (tll = '1 h')", "no option 'tll'"),
        ("CREATE TABLE T (a int)", "has a table t already, by"),
        ("CREATE TABLE u (a array<int> PRIMARY KEY, b map<int,int>, c nonsense)", "NONSENSE"),
        ("CREATE MATERIALIZED VIEW v AS SELECT a FROM t WITH (emit = 'x')", "no option 'emit'"),
        ("CREATE MATERIALIZED VIEW v AS SELECT rand() r, a FROM t ORDER BY r", "rand"),
        ("CREATE MATERIALIZED VIEW `a b` AS SELECT a FROM t", "must be ASCII letters"),
        ("CREATE INDEX i ON t (c)", "has no column 'c'; it has a, b"),
        ("INSERT INTO t (b) VALUES (1)", "the PRIMARY KEY needs a"),
        ("INSERT INTO t VALUES (1)", "2 columns are to be written"),
        ("UPDATE t SET a = 1", "of the PRIMARY KEY"),
        ("DROP SOURCE t", "t is a table, not a source"),
        ("DROP TABLE nothing", "has no table 'nothing'"),
    ]:
        with pytest.raises(gs.GroundswellError) as e:
            session.sql(statement)
        assert error in str(e.value), statement
    assert [r.tableName for r in session.sql("SHOW TABLES").collect()] == ["t"]
    session.sql("CREATE TABLE spark_catalog.default.elsewhere (a int) USING parquet")
    session.sql("DROP TABLE spark_catalog.default.elsewhere")


@pytest.mark.rest
def test_a_pipeline_of_another_process_is_read_and_written_but_not_defined(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "BEGIN_SECONDS", 0.0)
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (a int)")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("FLUSH")
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None
    pipeline.stop()
    home = JvmFolder.open(session, pipeline.location).child("groundswell")
    other = owner.Owner("ann (process 1 on there)", "there", 1, "", "2026-01-01", token=100)
    home.put(owned_name(owner.STEM, 100), seal(owner.KIND, asdict(other)))
    with pytest.raises(
        gs.ConfigurationError, match=r"p: ann \(process 1 on there\) runs the pipeline, and did not"
    ):
        session.sql("CREATE TABLE u (a int)")
    with pytest.raises(gs.ConfigurationError, match="is run by ann"):
        pipeline.start()
    assert rows(session, "SELECT * FROM t") == [(1,)]
    session.sql("INSERT INTO t VALUES (2)")
    session.sql("DROP PIPELINE p")
    session.conf.set("spark.groundswell.pipeline.p", str(tmp_path / "p"))
    assert rows(session, "SELECT * FROM t") == [(1,)]
    session.conf.unset("spark.groundswell.pipeline.p")
    session.sql("DROP PIPELINE p")
    session.sql(
        f"CREATE PIPELINE IF NOT EXISTS p LOCATION '{tmp_path / 'p'}' WITH (takeover = 'true')"
    )
    session.sql("CREATE TABLE u (a int)")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM t") == [(1,), (2,)]


@pytest.mark.rest
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8),
        min_size=2,
        max_size=4,
        unique_by=lambda n: n.lower().casefold(),
    )
)
def test_any_column_name_is_a_name_and_nothing_more(
    session: SparkSession, tmp_path: Path, names: list[str]
) -> None:
    place = tmp_path / uuid.uuid4().hex
    session.sql(f"CREATE PIPELINE f LOCATION '{place}'")
    session.sql("USE groundswell.f")
    try:
        columns = [quoted(n) for n in names]
        session.sql(f"CREATE TABLE t ({', '.join(f'{c} string' for c in columns)}, "
                    f"PRIMARY KEY ({columns[0]}))")  # fmt: skip
        values = [f"x'); DROP TABLE t; --{i}" for i in range(len(names))]
        literals = ", ".join("'" + v.replace("'", "\\'") + "'" for v in values)
        session.sql(f"INSERT INTO t ({', '.join(columns)}) VALUES ({literals})")
        session.sql(
            f"UPDATE t SET {columns[1]} = concat({columns[1]}, '!') WHERE {columns[0]} > ''"
        )
        session.sql("FLUSH")
        found = session.sql("SELECT * FROM t").collect()
        assert [tuple(r) for r in found] == [(values[0], values[1] + "!", *values[2:])]
        assert found[0].__fields__ == names
    finally:
        session.sql("DROP PIPELINE f")


@pytest.mark.rest
def test_rows_that_are_only_added(session: SparkSession, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "1.json").write_text('{"a": 1}\n{"a": 2}\n')
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE log (a int) APPEND ONLY")
    session.sql(f"CREATE TABLE kept (a int) WITH (connector = 'json', path = '{files}')")
    session.sql(f"CREATE SOURCE s (a int) WITH (connector = 'file', format = 'json', "
                f"posix_fs.root = '{files}')")  # fmt: skip
    session.sql("CREATE MATERIALIZED VIEW of_source AS SELECT sum(a) s FROM s")
    session.sql("INSERT INTO log VALUES (3), (3)")
    session.sql("FLUSH")
    session.sql("CREATE MATERIALIZED VIEW both AS SELECT * FROM log UNION ALL SELECT * FROM kept")
    assert rows(session, "SELECT * FROM log") == [(3,), (3,)]
    assert rows(session, "SELECT * FROM both") == [(1,), (2,), (3,), (3,)]
    assert rows(session, "SELECT * FROM of_source") == [(3,)]
    for statement, error in [
        ("DELETE FROM log", "APPEND ONLY, so its rows never change"),
        ("INSERT INTO kept VALUES (1)", "fed by its connector 'json'"),
        ("SELECT * FROM s", "source s keeps no rows"),
        ("CREATE MATERIALIZED VIEW late AS SELECT * FROM s", "its rows are not kept"),
    ]:
        with pytest.raises(gs.GroundswellError, match=error):
            session.sql(statement)
    (files / "2.json").write_text('{"a": 4}\n')
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM of_source") == [(7,)]


@pytest.mark.rest
def test_a_statement_that_an_older_release_has_noted_is_done(
    session: SparkSession, tmp_path: Path
) -> None:
    place = tmp_path / "p"
    session.sql(f"CREATE PIPELINE p LOCATION '{place}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (a int)")
    session.sql("CREATE MATERIALIZED VIEW v AS SELECT sum(a) s FROM t")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("FLUSH")
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None
    number = pipeline.log.read()[-1].number
    for i, text in enumerate(
        ["CREATE MATERIALIZED VIEW w AS SELECT max(a) m FROM t", "DROP MATERIALIZED VIEW v"], 1
    ):
        made = log.entry(number + i, text, "groundswell", ("p",))
        pipeline.log.append(replace(made, pending=False))
    session.sql("DROP PIPELINE p")
    session.sql(f"CREATE PIPELINE IF NOT EXISTS p LOCATION '{place}'")
    session.sql("INSERT INTO t VALUES (5)")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM w") == [(5,)]
    assert [r.tableName for r in session.sql("SHOW TABLES").collect()] == ["t", "w"]


@pytest.mark.rest
def test_a_context_after_another_has_statements(
    spark_factory: SparkFactory, tmp_path: Path
) -> None:
    for number in range(2):
        spark = spark_factory({confs.EXTENSIONS_KEY: confs.EXTENSIONS, "spark.test": str(number)})
        spark.sql(f"CREATE PIPELINE p{number} LOCATION '{tmp_path / str(number)}'")
        assert [row.name for row in spark.sql("SHOW PIPELINES").collect()] == [f"p{number}"]
        REGISTRY.remove(spark, f"p{number}")


@pytest.mark.rest
def test_a_pipeline_that_a_conf_names_is_made_by_its_first_statement(
    session: SparkSession, tmp_path: Path
) -> None:
    session.conf.set("spark.groundswell.pipeline.named", str(tmp_path))
    session.sql(
        f"CREATE PIPELINE IF NOT EXISTS named LOCATION '{tmp_path}' WITH (retain = '1 day')"
    )
    session.sql("CREATE TABLE groundswell.named.t (a int)")
    pipeline = REGISTRY.find(session, "named")
    assert pipeline is not None
    assert pipeline.options == {"retain": "1 day"}
    session.conf.unset("spark.groundswell.pipeline.named")


@pytest.mark.rest
def test_a_view_that_gets_its_query_back_shows_it(session: SparkSession, tmp_path: Path) -> None:
    """The state of that query was still there, so nothing was filled, and the other one shown."""
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}' WITH (trigger = 'availableNow')")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (id int PRIMARY KEY, name string)")
    session.sql("INSERT INTO t VALUES (1, 'a')")
    for column in ("name", "upper(name)", "name"):
        session.sql(f"CREATE OR REPLACE MATERIALIZED VIEW v AS SELECT {column} AS x FROM t")
        session.sql("REFRESH MATERIALIZED VIEW v")
        expected = "A" if "upper" in column else "a"
        assert rows(session, "SELECT * FROM v") == [(expected,)]


@pytest.mark.rest
def test_a_table_that_was_made_after_the_last_epoch_is_empty(
    session: SparkSession, tmp_path: Path
) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}' WITH (trigger = 'availableNow')")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (a int PRIMARY KEY)")
    session.sql("CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n FROM t")
    session.sql("INSERT INTO t VALUES (1), (2)")
    session.sql("REFRESH MATERIALIZED VIEW v")
    session.sql("CREATE TABLE u (a int PRIMARY KEY, b int)")
    session.sql("CREATE SINK k INTO u AS SELECT CAST(n AS int) AS a, 1 AS b FROM v")
    shown = session.sql("SHOW TABLE EXTENDED IN groundswell.p LIKE '*'").collect()
    assert sorted(row.tableName for row in shown) == ["t", "u", "v"]
    assert session.table("groundswell.p.u").columns == ["a", "b"]
    session.sql("CREATE TABLE w (a int PRIMARY KEY)")
    assert session.sql("SELECT * FROM w").collect() == []
