"""A statement that a crash has cut off is carried out by the next start, or is no more."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from groundswell.sql.executor import REGISTRY
from groundswell.sql.history import log as logs
from groundswell.sql.pipelines import SqlPipeline
from sql.conftest import rows

BASE = (
    "CREATE TABLE t (id bigint PRIMARY KEY, v string)",
    "CREATE MATERIALIZED VIEW good AS SELECT id FROM t",
    "INSERT INTO t VALUES (1, '1'), (2, 'x')",
    "FLUSH",
)
REFUSED = "CREATE MATERIALIZED VIEW bad AS SELECT id, CAST(v AS INT) v FROM t"
SOUND = "CREATE MATERIALIZED VIEW n AS SELECT count(*) n FROM t"


@pytest.fixture
def opened(session: SparkSession, tmp_path: Path) -> Iterator[SqlPipeline]:
    """A pipeline that has run, and is stopped."""
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    for text in BASE:
        session.sql(text)
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None
    pipeline.stop()
    yield pipeline
    session.sql("USE spark_catalog.default")


def cut_off(pipeline: SqlPipeline, text: str) -> None:
    """Leaves what a process leaves that dies while it carries a statement out."""
    number = pipeline.log.read()[-1].number + 1
    pipeline.log.append(logs.entry(number, text, "groundswell", ("p",)))


def again(session: SparkSession, tmp_path: Path) -> None:
    """As another process would open it."""
    REGISTRY.remove(session, "p")
    session.sql(f"CREATE PIPELINE IF NOT EXISTS p LOCATION '{tmp_path / 'p'}'")


def names(session: SparkSession) -> set[str]:
    return {row[0] for row in session.sql("SHOW MATERIALIZED VIEWS").collect()}


@pytest.mark.rest
def test_a_refused_statement_that_was_cut_off_stops_no_view(
    session: SparkSession, tmp_path: Path, opened: SqlPipeline, caplog: pytest.LogCaptureFixture
) -> None:
    cut_off(opened, REFUSED)
    again(session, tmp_path)
    assert names(session) == {"good"}
    session.sql("INSERT INTO t VALUES (3, '3')")
    with caplog.at_level(logging.WARNING):
        session.sql("FLUSH")
    assert "was cut off by a crash. It is refused now" in caplog.text
    assert rows(session, "SELECT * FROM good") == [(1,), (2,), (3,)]
    session.sql("DELETE FROM t WHERE id = 2")
    session.sql("FLUSH")
    session.sql(REFUSED)
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM bad") == [(1, 1), (3, 3)]


def test_a_sound_statement_that_was_cut_off_is_carried_out(
    session: SparkSession, tmp_path: Path, opened: SqlPipeline
) -> None:
    cut_off(opened, SOUND)
    again(session, tmp_path)
    session.sql("FLUSH")
    assert names(session) == {"good", "n"}
    assert rows(session, "SELECT * FROM n") == [(2,)]
    assert not any(each.pending for each in opened.log.read())


@pytest.mark.rest
def test_the_same_statement_again_ends_what_was_cut_off(
    session: SparkSession, tmp_path: Path, opened: SqlPipeline
) -> None:
    cut_off(opened, SOUND)
    again(session, tmp_path)
    session.sql(SOUND.replace("VIEW n", "VIEW IF NOT EXISTS n"))
    cut_off_drop = "DROP MATERIALIZED VIEW n"
    found = REGISTRY.find(session, "p")
    assert found is not None
    found.stop()
    cut_off(found, cut_off_drop)
    again(session, tmp_path)
    session.sql("FLUSH")
    assert names(session) == {"good"}
    assert rows(session, "SELECT * FROM good") == [(1,), (2,)]
