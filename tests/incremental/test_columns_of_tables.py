"""Tables that get columns, while the pipeline runs and between its runs."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from incremental.harness import bag


def rows(session: SparkSession, location: Path, view: str) -> set[Any]:
    return set(bag(gs.read_view(session, str(location), view)))


def states(location: Path) -> set[str]:
    """Every file of a state of a view, with its size: nothing of it is written again."""
    folder = location / "groundswell/state"
    return {
        f"{file.relative_to(folder)}"
        for file in folder.rglob("*")
        if file.is_file() and not file.relative_to(folder).parts[0].startswith("source-")
    }


@pytest.mark.parametrize("key", ["k", None])
def test_a_table_gets_columns_while_it_runs(
    session: SparkSession, tmp_path: Path, key: str | None
) -> None:
    location = tmp_path / "c"
    p = gs.pipeline(session, str(location))
    t = p.table("t", "k int, v int", key=key)
    p.view("sums", t.df.groupBy(F.col("k") % 2).agg(F.sum("v").alias("s")))
    p.view("everything", t.df)
    query = p.start()
    t.insert([(1, 10), (2, 20), (3, None)])
    query.processAllAvailable()
    explained = query.view("everything").columns
    t.addColumns("c string, d bigint", {"d": "7"})
    assert query.isActive
    assert t.df.columns == ["k", "v", "c", "d"]
    t.insert([(4, 40, "four", 4)])
    query.processAllAvailable()
    assert query.view("everything").columns == explained == ["k", "v"]
    query.addView("wide", t.df)
    wanted = {(1, 10, None, 7), (2, 20, None, 7), (3, None, None, 7), (4, 40, "four", 4)}
    assert rows(session, location, "wide") == wanted
    if key:
        t.upsert([(2, 21, "two", 2)])
        t.delete([(3,)])
        query.processAllAvailable()
        wanted = {(1, 10, None, 7), (2, 21, "two", 2), (4, 40, "four", 4)}
        assert rows(session, location, "wide") == wanted
        assert rows(session, location, "everything") == {r[:2] for r in wanted}
        assert rows(session, location, "sums") == {(1, 10), (0, 61)}
    query.stop()


@pytest.mark.parametrize("key", ["k", None])
def test_a_table_gets_columns_between_runs(
    session: SparkSession,
    tmp_path: Path,
    key: str | None,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    location = tmp_path / "c"

    def pipeline(columns: str) -> tuple[gs.Pipeline, gs.Table]:
        p = gs.pipeline(session, str(location))
        t = p.table("t", columns, key=key)
        p.view("sums", t.df.groupBy(F.col("k") % 2).agg(F.sum("v").alias("s")))
        p.view("everything", t.df)
        return p, t

    p, t = pipeline("k int, v int")
    t.insert([(1, 10), (2, 20)])
    p.start(availableNow=True).awaitTermination()
    before = states(location)
    t.insert([(3, 30)])  # waits for a start, which comes with more columns
    p, t = pipeline("k int, c string, v int")
    t.insert([(4, "four", 40)])
    p.start(availableNow=True).awaitTermination()
    assert before <= states(location), "no state of a view is written again"
    assert {Path(f).parts[0] for f in before} == {Path(f).parts[0] for f in states(location)}
    assert rows(session, location, "everything") == {(1, 10), (2, 20), (3, 30), (4, 40)}
    assert rows(session, location, "sums") == {(1, 40), (0, 60)}
    assert "view everything: it has the columns that it began with, without c" in caplog.text
    p, t = pipeline("k int, c string, v int")
    query = p.view("wide", t.df).start()
    query.explain()
    assert "without c, which t has got since" in capsys.readouterr().out
    query.processAllAvailable()
    wide = {(1, None, 10), (2, None, 20), (3, None, 30), (4, "four", 40)}
    assert rows(session, location, "wide") == wide
    query.stop()
    with pytest.raises(gs.GroundswellError, match=r"(?s)another definition.*- c string"):
        pipeline("k int, v int")
