"""Names are names and nothing more, whatever stands in them."""

import itertools
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.columns import quoted
from groundswell.jvm.errors import JVM_ERRORS, text_of
from groundswell.jvm.sql import definition
from groundswell.sql.console.file import read_file
from groundswell.sql.console.script import Script
from groundswell.sql.executor import REGISTRY
from sql.conftest import opened, reopened

HOSTILE = [
    *("x; DROP TABLE t", "a`b", "it's", 'say "so"', "../up", "a.b", "<script>", "п", " ", "--"),
    *("t) WITH (connector = 'rate'", "/* */", "\\", "a\nb", "$x", "{0}", "%s", "CON:", "e\u0301"),
]
PLAIN = ["1abc", "select", "_"]


def test_hostile_names_are_refused_and_change_nothing(
    session: SparkSession, tmp_path: Path
) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (a int)")
    statements = itertools.cycle(
        [
            "CREATE TABLE {} (a int)",
            "CREATE SOURCE {} WITH (connector = 'rate')",
            "CREATE MATERIALIZED VIEW {} AS SELECT a FROM t",
            "CREATE INDEX {} ON t (a)",
            "CREATE SINK {} FROM t WITH (connector = 'json', path = '/nowhere')",
            f"CREATE PIPELINE {{}} LOCATION '{tmp_path / 'q'}'",
            "ALTER TABLE t RENAME TO {}",
            "CREATE SINK {} INTO t AS SELECT a FROM t",
        ]
    )
    for name, statement in zip([*HOSTILE, *HOSTILE[:5]], statements, strict=False):
        with pytest.raises(gs.GroundswellError, match="must be ASCII letters"):
            session.sql(statement.replace("{}", quoted(name)))
    assert [row.tableName for row in session.sql("SHOW TABLES").collect()] == ["t"]
    assert [row.name for row in session.sql("SHOW PIPELINES").collect()] == ["p"]
    for name in PLAIN:
        session.sql(f"CREATE TABLE {quoted(name)} (a int)")
        session.sql(f"DROP TABLE {quoted(name)} CASCADE")
    assert [row.tableName for row in session.sql("SHOW TABLES").collect()] == ["t"]


@pytest.mark.rest
def test_two_pipelines_have_views_of_one_name(session: SparkSession, tmp_path: Path) -> None:
    for pipeline, value in (("p", 1), ("q", 2)):
        session.sql(f"CREATE PIPELINE {pipeline} LOCATION '{tmp_path / pipeline}'")
        session.sql(f"USE groundswell.{pipeline}")
        session.sql("CREATE TABLE t (a int)")
        session.sql("CREATE MATERIALIZED VIEW v AS SELECT sum(a) AS s FROM t")
        session.sql(f"INSERT INTO t VALUES ({value})")
        session.sql("FLUSH")
        assert session.sql("SELECT s FROM v").collect() == [(value,)]
    both = "SELECT x.s, y.s FROM groundswell.p.v x, groundswell.q.v y, v z WHERE z.s = y.s"
    assert session.sql(both).collect() == [(1, 2)]
    session.sql("DROP MATERIALIZED VIEW v")
    assert session.sql("SELECT s FROM groundswell.p.v").collect() == [(1,)]
    with pytest.raises(gs.ConfigurationError, match="pipeline q exists already, in"):
        session.sql(f"CREATE PIPELINE q LOCATION '{tmp_path / 'r'}'")


@pytest.mark.rest
def test_a_location_with_quotes_is_a_location(session: SparkSession, tmp_path: Path) -> None:
    place = tmp_path / "it's \\ here"
    file = tmp_path / "odd.sql"
    file.write_text("CREATE TABLE t (a int);\n", "utf-8")
    Script(session, read_file(str(file)), checkpoint=str(place), once=True, out=print).run()
    pipeline = REGISTRY.find(session, "odd")
    assert pipeline is not None
    assert pipeline.called == "odd"
    assert pipeline.location.endswith("here")
    assert [each.name for each in pipeline.contents.of("table")] == ["t"]


@pytest.mark.rest
def test_a_schema_that_is_a_pipeline_is_there(session: SparkSession, tmp_path: Path) -> None:
    """Tools such as dbt ask for their schema before anything else."""
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("CREATE SCHEMA IF NOT EXISTS groundswell.p")
    with pytest.raises(AnalysisException, match="already exists"):
        session.sql("CREATE SCHEMA groundswell.p")
    with pytest.raises(Exception, match="is made with CREATE PIPELINE"):
        session.sql("CREATE SCHEMA groundswell.q")


def test_errors_have_no_stack_for_clients_that_print_it(
    session: SparkSession, tmp_path: Path
) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    with pytest.raises(JVM_ERRORS) as failed:
        session._jsparkSession.sql("DROP TABLE groundswell.p.nothing")
    said = text_of(failed.value)
    assert "pipeline p has no table 'nothing'" in said
    assert "\tat " not in said


@pytest.mark.rest
def test_a_pipeline_opens_that_had_other_objects_when_its_statements_were_run(
    session: SparkSession, tmp_path: Path
) -> None:
    """What is gone since is read by nobody, even if its name has come back as something else."""
    opened(session, tmp_path / "p")
    for text in (
        "CREATE TABLE gone (a int PRIMARY KEY)",
        "CREATE SOURCE also WITH (connector = 'rate')",
        "CREATE TABLE t (id int PRIMARY KEY)",
        "CREATE TABLE copy (id int PRIMARY KEY)",
        "CREATE MATERIALIZED VIEW v AS SELECT id FROM t",
        "CREATE INDEX i ON t (id)",
        "CREATE MATERIALIZED VIEW w AS SELECT id AS v, id AS i, id AS k FROM t",
        "CREATE SINK k INTO gone AS SELECT id AS a FROM t",
        "CREATE SINK s INTO copy AS SELECT id FROM t",
        *("DROP SINK k", "DROP TABLE gone", "DROP SOURCE also"),
        *("DROP MATERIALIZED VIEW v", "DROP INDEX i"),
        *("CREATE TABLE v (id int PRIMARY KEY)", "CREATE TABLE i (x int)"),
        *("CREATE TABLE k (y string PRIMARY KEY)", "CREATE TABLE gone (b string)"),
        *("INSERT INTO t VALUES (1)", "INSERT INTO v VALUES (2)", "FLUSH"),
    ):
        session.sql(text)
    for _ in range(2):
        reopened(session, str(tmp_path / "p"))
        session.sql("FLUSH")
        assert [tuple(row) for row in session.sql("SELECT * FROM w").collect()] == [(1, 1, 1)]
        assert [tuple(row) for row in session.sql("SELECT * FROM copy").collect()] == [(1,)]
        assert [tuple(row) for row in session.sql("SELECT * FROM v").collect()] == [(2,)]
        session.sql("CREATE OR REPLACE MATERIALIZED VIEW w AS SELECT id i, id s, id k FROM t")


@pytest.mark.rest
def test_an_error_says_what_a_renamed_view_is_called(session: SparkSession, tmp_path: Path) -> None:
    opened(session, tmp_path / "p")
    for text in (
        "CREATE TABLE t (id int PRIMARY KEY, v int)",
        "CREATE MATERIALIZED VIEW a AS SELECT v FROM t",
        "ALTER MATERIALIZED VIEW a RENAME TO b",
        "ALTER TABLE t RENAME TO u",
        "CREATE MATERIALIZED VIEW a AS SELECT id FROM u",
    ):
        session.sql(text)
    with pytest.raises(gs.ConfigurationError, match="a is what materialized view b began as") as e:
        session.sql("ALTER TABLE u DROP COLUMN v")
    assert "t is what table u began as" in str(e.value)
    assert "a__2" not in str(e.value)


def test_a_name_that_goes_round_means_what_it_meant(session: SparkSession, tmp_path: Path) -> None:
    """A table has the name of another one that was renamed, a view that of one that is gone.

    The view that reads the first table has a column that is called like the second view.
    """
    opened(session, tmp_path / "p")
    for text in (
        "CREATE TABLE t (k int PRIMARY KEY)",
        "CREATE MATERIALIZED VIEW k AS SELECT DISTINCT k FROM t",
        "CREATE MATERIALIZED VIEW v AS SELECT DISTINCT k FROM t",
        "ALTER TABLE t RENAME TO old",
        "CREATE TABLE t (k int PRIMARY KEY)",
        "INSERT INTO t VALUES (5)",
        "INSERT INTO old VALUES (4)",
        "FLUSH",
        "DROP MATERIALIZED VIEW k",
        "CREATE MATERIALIZED VIEW k AS SELECT DISTINCT k FROM t",
    ):
        session.sql(text)
    for _ in range(2):
        session.sql("FLUSH")
        assert session.table("v").collect() == [(4,)]
        assert session.table("k").collect() == [(5,)]
        reopened(session, str(tmp_path / "p"))


def test_a_definition_reads_no_rows_of_its_own_pipeline(
    session: SparkSession, tmp_path: Path
) -> None:
    """They would be read once, and changes of them never seen."""
    opened(session, tmp_path / "p")
    session.sql("CREATE TABLE t (k int)")
    session.sql("FLUSH")
    assert session.table("groundswell.p.t").collect() == []
    for name in ("t", "groundswell.p.t", "groundswell.P.T"):
        with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
            definition(session, f"SELECT * FROM {name}", {}, "p", 2)


def test_renames_that_are_other_databases_are_answered_with_ours(
    session: SparkSession, tmp_path: Path
) -> None:
    opened(session, tmp_path / "p")
    session.sql("CREATE TABLE t (k int)")
    session.sql("CREATE MATERIALIZED VIEW v AS SELECT k FROM t")
    for wrong, why in (
        ("ALTER VIEW v RENAME TO w", "ALTER MATERIALIZED VIEW v takes RENAME TO, SUSPEND"),
        ("ALTER VIEW IF EXISTS t RENAME TO w", "ALTER TABLE t RENAME TO is for a table"),
        ("ALTER VIEW groundswell.p.v AS SELECT 1", "CREATE OR REPLACE MATERIALIZED VIEW groundsw"),
        ("ALTER MATERIALIZED VIEW v RENAME TO p.w", "ALTER MATERIALIZED VIEW v RENAME TO w"),
        (
            "ALTER TABLE t RENAME TO groundswell.q.u",
            "stays in its pipeline.*: ALTER TABLE t RENAME",
        ),
    ):
        with pytest.raises(gs.SqlSyntaxError, match=why):
            session.sql(wrong)
    assert {row.tableName for row in session.sql("SHOW TABLES").collect()} == {"t", "v"}
    session.sql("CREATE TEMPORARY VIEW v AS SELECT 1 AS a")
    session.sql("ALTER VIEW v RENAME TO w")  # the session's own
    assert session.table("w").collect() == [(1,)]
    session.sql("DROP VIEW w")
    file = tmp_path / "own.sql"
    file.write_text("CREATE TEMPORARY VIEW v AS SELECT 1; ALTER VIEW v RENAME TO w", "utf-8")
    assert len(read_file(str(file)).statements) == 2


def test_python_refuses_the_names_that_sql_refuses_in_its_words(
    session: SparkSession, tmp_path: Path
) -> None:
    opened(session, tmp_path / "p")
    session.sql("CREATE TABLE t (id int PRIMARY KEY, a int)")
    session.sql("CREATE MATERIALIZED VIEW v (CONSTRAINT c EXPECT (a > 0)) AS SELECT * FROM t")
    place = tmp_path / "python"
    p = gs.pipeline(session, str(place))
    t = p.table("t", "id int, a int", key="id")
    assert t.df is not None
    p.view("v", t.df, expect=[gs.Expectation("c", "a > 0")])

    def told(define: Callable[[], Any]) -> str:
        with pytest.raises(gs.GroundswellError) as refused:
            define()
        return str(refused.value).removeprefix("pipeline p: ").removeprefix("materialized ")

    pairs: list[tuple[str, Callable[[], Any]]] = [
        ("TABLE V_Diverted (id int)", lambda: p.table("V_Diverted", "id int")),
        ("MATERIALIZED VIEW v_diverted AS SELECT * FROM t", lambda: p.view("v_diverted", t.df)),
        ("TABLE `a b` (id int)", lambda: p.table("a b", "id int")),
    ]
    for statement, define in pairs:
        assert told(define) == told(partial(session.sql, f"CREATE {statement}"))
    for name in ("V_Diverted", "T"):
        assert "another name" in told(partial(p.table, name, "id int"))
        assert not (place / "groundswell" / "tables" / name).exists()
    query = p.start()
    assert "'v' and 'V' have one name" in told(lambda: query.addView("V", t.df))
    query.stop()
