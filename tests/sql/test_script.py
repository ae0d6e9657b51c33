"""Files of statements."""

import re
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from cases import first_of
from groundswell.sql.console.file import read_file
from groundswell.sql.console.script import Script
from groundswell.sql.executor import REGISTRY

PLAN = """-- stories
CREATE TABLE stories (id int PRIMARY KEY, title text);
CREATE MATERIALIZED VIEW titles AS SELECT title, count(*) n
  FROM stories GROUP BY title;
"""


def run(spark: SparkSession, file: Path, text: str, location: Path | None = None) -> list[str]:
    file.write_text(text, "utf-8")
    printed: list[str] = []
    place = str(location) if location else None
    Script(spark, read_file(str(file)), place, once=True, out=printed.append).run()
    return printed


@pytest.mark.rest
def test_a_long_barrier_says_how_far_it_is(session: SparkSession, tmp_path: Path) -> None:
    """It takes a row that sleeps for a second; the table's exchange is dealt out before."""
    session.udf.register("slow", lambda v: time.sleep(1) or v, "int")
    file, told = tmp_path / "f.sql", list[str]()
    file.write_text(
        PLAN
        + """CREATE MATERIALIZED VIEW slowly AS
          SELECT slow(n) s, count(*) c FROM titles GROUP BY slow(n);
        INSERT INTO stories VALUES (1, 'a');
        FLUSH;"""
    )
    place = str(tmp_path / "c")
    every = {"tell": told.append, "tell_every": 0.1}
    Script(session, read_file(str(file)), place, once=True, out=lambda _: None, **every).run()  # type: ignore[arg-type]
    found = [re.fullmatch(r"epoch \d+ is computed: (?:(\d+) %, )?\d+ s so far", t) for t in told]
    assert all(found), told
    percents = [int(m[1]) for m in found if m and m[1]]
    assert percents, "it was asked while tasks ran"
    assert max(percents) <= 100
    pipeline = REGISTRY.find(session, "f")
    assert pipeline is None or pipeline.query is None


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    first_of(
        [
            ("SELECT 1;\nCREATE SOURCE s (a int)\n  WITH (path);", 3, 13, "expected =, not ')'"),
            ("CREATE TABLE t (a int,\n  PRIMARY KEY (b));", 1, 1, "there is no such column"),
            ("SELECT 1;\n  SELECT 'a", 2, 10, "' is not closed"),
            ("CREATE TABLE t (a int);\nSELECT a b c FROM t", 2, 12, "PARSE_SYNTAX_ERROR"),
        ]
    ),
)
def test_an_error_of_syntax_names_its_place(
    session: SparkSession, tmp_path: Path, text: str, line: int, column: int, what: str
) -> None:
    file = tmp_path / "f.sql"
    with pytest.raises(gs.SqlSyntaxError) as e:
        run(session, file, text, tmp_path / "c")
    assert (e.value.line, e.value.column) == (line, column), str(e.value)
    assert f"{file}, line {line}, column {column}" in str(e.value)
    assert what in str(e.value)


def test_a_file_runs_again_and_goes_on(session: SparkSession, tmp_path: Path) -> None:
    file, place = tmp_path / "stories.sql", tmp_path / "c"
    more = "INSERT INTO stories VALUES (1, 'a'), (2, 'a');\nSELECT * FROM titles;"
    assert "title  n\n-----  -\na      2\n(1 row)" in "\n".join(
        run(session, file, PLAN + more, place)
    )
    REGISTRY.find(session, "stories").stop()  # type: ignore[union-attr]
    REGISTRY.remove(session, "stories")
    more = "INSERT INTO stories VALUES (2, 'b');\nSELECT * FROM titles ORDER BY n, title;"
    printed = run(session, file, PLAN + more, place)
    assert [line for line in printed if line[0] in "ab"][-2:] == ["a      1", "b      1"]
    changed = PLAN.replace("GROUP BY", "WHERE id > 1 GROUP BY")
    with pytest.raises(gs.ConfigurationError, match=r"line 3: .*already.*OR REPLACE"):
        run(session, file, changed, place)
    again = changed.replace("CREATE MAT", "CREATE OR REPLACE MAT") + "SELECT * FROM titles;"
    assert "b      1" in run(session, file, again, place)


def test_a_refresh_says_what_it_did(session: SparkSession, tmp_path: Path) -> None:
    place = str(tmp_path / "c")
    file = tmp_path / "stories.sql"
    file.write_text(PLAN + "INSERT INTO stories SELECT id, id % 7 FROM range(1000);", "utf-8")

    def refresh() -> list[str]:
        printed: list[str] = []
        made = Script(session, read_file(str(file)), place, refresh=True, out=printed.append)
        made.run()
        names, values = printed[-4].split(), printed[-2].split(maxsplit=5)
        assert names == ["view", "epoch", "rows_read", "rows_changed", "seconds", "how"]
        return [values[0], values[2], values[3], values[5]]

    assert refresh() == ["titles", "0", "0", "full: the view is new"]
    session.sql("INSERT INTO stories SELECT id, id % 7 FROM range(1000)")
    assert refresh()[:2] == ["titles", "1000"]
    session.sql("INSERT INTO stories VALUES (1, 'one')")
    view, read, changed, how = refresh()
    assert (view, read, how) == ("titles", "1", "incremental")
    assert 0 < int(changed) < 5
    assert refresh() == ["titles", "0", "0", "nothing new"]
