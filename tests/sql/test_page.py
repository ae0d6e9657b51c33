"""The examples of docs/sql.md, and that they print what the page says."""

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from conftest import ROOT
from groundswell.sql.console.file import read_file
from groundswell.sql.console.script import Script

pytestmark = pytest.mark.rest

STATEMENTS = (
    *("CREATE PIPELINE", "CREATE TABLE", "CREATE SOURCE", "CREATE MATERIALIZED VIEW"),
    *("CREATE INDEX", "CREATE SINK", "DROP", "ALTER MATERIALIZED VIEW", "SHOW MATERIALIZED VIEWS"),
    *("SHOW SOURCES", "SHOW SINKS", "SHOW INDEXES", "SHOW JOBS", "SHOW CREATE", "DESCRIBE"),
    *("EXPLAIN CREATE MATERIALIZED VIEW", "FLUSH", "INSERT", "UPDATE", "DELETE", "MERGE INTO"),
    *("SELECT .* VERSION AS OF", "SELECT .* TIMESTAMP AS OF", "SELECT .* CHANGES FROM VERSION"),
    *("CREATE FLOW", "CREATE STREAMING TABLE", "CREATE FUNCTION", "CREATE AGGREGATE"),
    *("SHOW FUNCTIONS", "DROP FUNCTION"),
    *("REFRESH MATERIALIZED VIEW", "SHOW PIPELINES", "DROP .* CASCADE"),
)
BLOCK = re.compile(r"```(sql|text)\n(.*?)```", re.DOTALL)


def test_every_statement_has_a_section_with_an_example() -> None:
    page = (ROOT / "docs" / "sql.md").read_text("utf-8")
    sections = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    shown = {title: body for title, _, body in (each.partition("\n") for each in sections)}
    upper = [title for title in shown if title.isupper()]
    assert len(upper) >= 17
    for title in upper:
        ran = "".join(body for kind, body in BLOCK.findall(shown[title]) if kind == "sql")
        for statement in title.split(", "):
            assert re.search(rf"^{statement}\b", ran, re.MULTILINE) or statement in ran, title
    everything = "".join(body for kind, body in BLOCK.findall(page) if kind == "sql")
    for beginning in STATEMENTS:
        assert re.search(rf"^\s*{beginning}\b", everything, re.MULTILINE), beginning


def test_the_page_is_right(session: SparkSession, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "sql.md").read_text("utf-8")
    page = page.replace("/tmp/shop", str(tmp_path / "shop"))
    blocks = BLOCK.findall(page)
    file = tmp_path / "page.sql"
    file.write_text("\n".join(body for kind, body in blocks if kind == "sql"), "utf-8")
    printed: list[str] = []
    Script(session, read_file(str(file)), once=True, out=printed.append).run()
    text = "\n".join(printed)
    for kind, body in blocks:
        if kind == "text":
            assert body.rstrip() in text, text
