"""Limits that docs/what-can-be-incremental.md names: what they give, and what they say."""

from pathlib import Path
from typing import Any

import pyspark.sql.functions as F
import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.errors import EngineError
from incremental.events import Run, at, marked, row
from incremental.harness import Table, bag

pytestmark = pytest.mark.rest

LONG = (1 << 20) + 1  # characters; a key of state has at most 1 MiB


@pytest.mark.parametrize("start", ["window.start", "window_start"])
def test_windows_that_are_grouped_by_their_projected_start_alone_close(
    session: SparkSession, tmp_path: Path, start: str
) -> None:
    events = Table(session, tmp_path, "events", "ts timestamp, k string, v int")
    window = F.window("ts", "1 minute")
    frame = marked(events).select(window.alias("window"), "v")
    named = frame.select(F.col("window.start").alias("start" if "." in start else start), "v")
    (only, _) = named.columns
    view = (
        named.groupBy(only).agg(F.sum("v").alias("s")).withColumn(only, F.col(only).cast("string"))
    )
    run = Run(session, tmp_path, view.incremental("window_close"), events)
    try:
        run.feed([row(1, v=1), row(2, v=2), row(61, v=4)])
        run.feed([row(190, v=8)])
        run.feed([row(191, v=8)])
        found = bag(gs.read_view(session, run.location, "v"))
        assert found == {(at(0), 3): 1, (at(60), 4): 1}
    finally:
        run.query.stop()


def test_several_first_of_one_group_are_each_ordered_by_their_own_arguments(
    session: SparkSession, tmp_path: Path
) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    t = p.table("t", "id int, g int, a string, b int", key="id")
    p.view("apart", t.df.groupBy("g").agg(F.first("a").alias("a"), F.first("b").alias("b")))
    p.view("one", t.df.groupBy("g").agg(F.first(F.struct("a", "b")).alias("ab")))
    run = p.start()
    try:
        rows: list[Any] = [(1, 1, "x", 9), (2, 1, "y", 3), (3, 1, "z", 5)]
        t.insert(session.createDataFrame(rows, "id int, g int, a string, b int"))
        run.processAllAvailable()
        assert bag(run.view("apart")) == {(1, "x", 3): 1}
        assert bag(run.view("one").selectExpr("g", "ab.a", "ab.b")) == {(1, "x", 9): 1}
        t.delete(session.createDataFrame([(1,)], "id int"))
        run.processAllAvailable()
        assert bag(run.view("apart")) == {(1, "y", 3): 1}
        assert bag(run.view("one").selectExpr("g", "ab.a", "ab.b")) == {(1, "y", 3): 1}
    finally:
        run.stop()


def test_a_value_of_more_than_a_mebibyte_under_collect_list_is_refused_by_name(
    session: SparkSession, tmp_path: Path
) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    t = p.table("t", "id int, s string", key="id")
    p.view("lists", t.df.groupBy().agg(F.collect_list("s").alias("s")))
    run = p.start()
    try:
        t.insert(session.createDataFrame([(1, "x" * LONG)], "id int, s string"))
        with pytest.raises(EngineError) as error:
            run.processAllAvailable()
        text = str(error.value)
        assert "lists" in text and "the limit is 1048576" in text, text
        assert "\tat " not in text, "a Java stack"
    finally:
        run.stop()
