"""The sink of the how-to, as a reader would paste it, passes the suite of our own sinks."""

import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from sinks.conformance import KeyedConformance, Row, Target

pytestmark = pytest.mark.rest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "write-a-sink.md"
CODE = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.fixture
def names() -> dict[str, Any]:
    found: dict[str, Any] = {}
    exec(compile(CODE[0], str(PAGE), "exec"), found)
    return found


class Database(Target):
    format = "sqlite-of-the-page"

    def __init__(self, sink: Any, path: Path) -> None:
        gs.register_sink(self.format, sink)
        self.options = {"path": str(path)}
        self.path = path

    def rows(self) -> list[Row]:
        with sqlite3.connect(self.path) as db:
            return db.execute("SELECT * FROM v ORDER BY 1").fetchall()


class TestThePage(KeyedConformance):
    @pytest.fixture
    def target(self, names: dict[str, Any], tmp_path: Path) -> Database:
        return Database(names["SqliteSink"], tmp_path / "db")


def test_the_program_runs(session: SparkSession, names: dict[str, Any], tmp_path: Path) -> None:
    names.update(spark=session, location=str(tmp_path / "c"), database=str(tmp_path / "db"))
    exec(compile(CODE[1], str(PAGE), "exec"), names)
    assert len(CODE) == 2
    assert len([line for line in CODE[0].split("class SqliteSink")[1].splitlines() if line]) <= 35
