"""The shell: lines in, rows out."""

import signal
import threading
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from groundswell.sql.console.shell import Shell


def test_statements_over_lines_errors_and_the_end(session: SparkSession, tmp_path: Path) -> None:
    lines = iter(
        [
            "SELECT * FROM t;",
            f"CREATE PIPELINE p LOCATION '{tmp_path / 'c'}'; -- begins",
            "CREATE TABLE t (a int);",
            "INSERT INTO t VALUES (1),",
            "  (2);",
            "SELECT nothing FROM t;",
            "CREATE TABLE t (a int) nonsense;",
            "FLUSH; SELECT a, 'x;' AS x FROM t ORDER BY a",
            ";",
            "CREATE MATERIALIZED VIEW v AS SELECT a FROM t WHERE a > 1;",
            "SHOW VIEWS; EXPLAIN MATERIALIZED VIEW v; EXPLAIN MATERIALIZED VIEW w;",
            "SELECT * FROM vv; EXPLAIN v; CREATE VIEW w AS SELECT 1; USE groundswell.q;",
            "CREATE MATERIALIZED VIEW w AS SELECT twize(a) AS a FROM t;",
            "TRUNCATE TABLE t; FLUSH; SELECT count(*) AS n FROM t;",
            "\\dt",
            "STOP; SUBSCRIBE TO v; CREATE DYNAMIC TABLE d AS SELECT 1;",
            "RENAME TABLE t TO u; CREATE MATERIALISED VIEW m AS SELECT 1;",
            "SELECT a FROM t EMIT CHANGES;",
            "EXPLAIN REWRITE v; SELECT 1 +;",
            "CREATE TABLE u (a int DEFAULT 'x');",
            "quit",
            "SELECT 3;",
        ]
    )
    printed: list[str] = []
    prompts: list[str] = []

    def read(prompt: str) -> str:
        prompts.append(prompt)
        return next(lines)

    shell = Shell(session, read, printed.append)
    shell.run()
    shell.stop()
    text = "\n".join(printed)
    assert "a  x\n-  --\n1  x;\n2  x;\n(2 rows)" in text
    assert "UNRESOLVED_COLUMN" in text
    assert "'Project" not in text and "stacktrace" not in text
    assert (
        "namespace  viewName  isTemporary\n---------  --------  -----------\np          v" in text
    )
    assert "\nView v (a)  [" in text  # a plan is no table
    assert "error: pipeline p has no materialized view 'w'; it has v" in text
    assert "n\n-\n0\n(1 row)" in text
    assert "line 1, column 24: expected the end of the statement, not 'nonsense'" in text
    assert prompts[0] == "spark_catalog.default> "
    for told in (
        "there is no table or view 't' in spark_catalog.default. ",
        "pipeline p has no table or view 'vv'; it has t, v. Did you mean 'v'?",
        "EXPLAIN MATERIALIZED VIEW v shows how a view is kept up to date",
        "CREATE MATERIALIZED VIEW w AS ... makes one that is kept up to date",
        "there is no pipeline 'q' in this session; there are ",
        "pipeline p has no function 'twize'; it has none yet",
        "there are no commands with a backslash but \\q",
        "there is no STOP in Groundswell's SQL: a pipeline runs until its process ends",
        "there is no SUBSCRIBE in Groundswell's SQL: `python -m groundswell serve LOCATION`",
        "there is no CREATE DYNAMIC TABLE in Groundswell's SQL: CREATE MATERIALIZED VIEW name",
        "there is no RENAME TABLE in Groundswell's SQL: ALTER TABLE t RENAME TO u",
        "there is no CREATE MATERIALISED in Groundswell's SQL: CREATE MATERIALIZED VIEW name",
        "leave EMIT CHANGES out",
        "EXPLAIN REWRITE takes a query: EXPLAIN REWRITE SELECT * FROM v",
        "PARSE_SYNTAX_ERROR",
        "column a: the default 'x' is not a valid int: [CAST_INVALID_INPUT] The value 'x' of",
    ):
        assert sum(told in line for line in printed) == 1, told
    assert not any("was called from" in line or "org.apache" in line for line in printed)
    assert prompts[3:5] == ["groundswell.p> ", "    -> "]
    assert next(lines) == "SELECT 3;"


@pytest.mark.rest
def test_an_interrupt_ends_the_statement_and_no_other_job(
    session: SparkSession, tmp_path: Path
) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    main, tracker = threading.get_ident(), session.sparkContext.statusTracker()

    long: set[int] = set()  # jobs of barriers are short

    def interrupt() -> None:
        seen: set[int] = set()
        while not long:
            time.sleep(0.5)
            now = set(tracker.getActiveJobsIds())
            long.update(seen & now)
            seen = now
        signal.pthread_kill(main, signal.SIGINT)

    def lines():
        yield f"CREATE PIPELINE p LOCATION '{tmp_path / 'c'}';"
        yield "CREATE TABLE t (a int); CREATE MATERIALIZED VIEW v AS SELECT sum(a) s FROM t;"
        yield "INSERT INTO t VALUES (1); FLUSH;"
        threading.Thread(target=interrupt).start()
        yield "SELECT count(*) FROM range(1000000000000) WHERE sin(id) > 2;"
        yield "SELECT 3 AS three;"
        yield "INSERT INTO t VALUES (41); FLUSH; SELECT s FROM v;"
        yield "quit"

    given, printed = lines(), list[str]()
    shell = Shell(session, lambda _prompt: next(given), printed.append)
    try:
        shell.run()
        assert long
        assert not long.intersection(tracker.getActiveJobsIds())
    finally:
        signal.signal(signal.SIGINT, before)
        shell.stop()
    text = "\n".join(printed)
    assert "interrupted\nthree\n-----\n3\n(1 row)" in text
    assert text.endswith("s\n--\n42\n(1 row)")
