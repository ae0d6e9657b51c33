"""``pipeline.plan()`` and ``query.plan()``: what a start says that it does is what it does."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.manifests import EpochManifest
from groundswell.runtime.transition import BACKFILL, BEGIN, DROP, KEEP, MOVE, Transition

Define = Callable[[gs.Pipeline], Any]


def newest(query: gs.IncrementalQuery) -> EpochManifest:
    return EpochLog(query._program.home().child("epochs")).newest()


def lines(told: Transition) -> list[str]:
    return [" ".join(line.split()) for line in str(told).splitlines()[1:]]


def check_kept(told: Transition, before: EpochManifest, after: EpochManifest) -> None:
    """What was to stay has the commits that it had; what goes is there until a barrier."""
    there = {step.state for step in told.steps}
    assert there - told.states(DROP) <= after.commits.keys() <= there
    if before.generation == after.generation:
        for state in told.states(KEEP):
            assert after.commits[state] == before.commits[state], state


def test_a_start_does_what_it_has_told(session: SparkSession, tmp_path: Path) -> None:
    location = str(tmp_path / "p")

    def made(columns: str = "id bigint, v bigint") -> tuple[gs.Pipeline, gs.Table]:
        p = gs.pipeline(session, location)
        t = p.table("t", columns, key="id")
        p.view("sums", t.df.groupBy("v").count())
        return p, t

    p, t = made()
    assert lines(p.plan()) == ["begin 3 states of source t, view sums"]
    t.insert([(i, i % 2) for i in range(10)])
    query = p.start()
    query.processAllAvailable()
    query.stop()
    last = newest(query)

    p, t = made("id bigint, v bigint, w string")
    p.view("names", t.df.select("w"))
    p.index(t, "v")
    told = p.plan()
    assert told.epoch == last.epoch
    assert lines(told) == [
        "keep 2 states of view sums, 4 rows",
        "move 1 state of source t, 10 rows",
        "backfill 2 states of view names, index index_t_v, from 10 rows, before the next barrier",
        "drop 1 state of source t, 10 rows",
    ]
    assert newest(query) == last, "nothing was written"
    query = p.start()
    check_kept(told, last, newest(query))
    t.insert([(10, 0, "x")])
    query.processAllAvailable()
    assert newest(query).commits.keys().isdisjoint(told.states(DROP))
    query.stop()

    last = newest(query)
    p, t = made("id bigint, v bigint, w string")
    p.drop("names")
    told = p.plan()
    assert told.states(DROP)
    assert not told.states(BACKFILL) | told.states(BEGIN) | told.states(MOVE)
    assert lines(told)[-1].startswith("drop 2 states of ")
    assert "&" not in told._repr_html_()


def test_a_change_does_what_it_has_told(session: SparkSession, tmp_path: Path) -> None:
    p = gs.pipeline(session, str(tmp_path / "p"))
    t = p.table("t", "id bigint, v bigint", key="id")
    p.view("ids", t.df.select("id"))
    t.insert([(i, i % 2) for i in range(10)])
    query = p.start()
    query.processAllAvailable()

    def more() -> None:
        p.view("sums", t.df.groupBy("v").count())

    told = query.plan(more)
    assert query.views == ("ids",)
    assert "backfill 2 states of view sums, from 10 rows, beside the running barriers" in lines(
        told
    )
    before = newest(query)
    query.change(more)
    check_kept(told, before, newest(query))
    assert not query.plan(lambda: None).changes
    with pytest.raises(gs.ConfigurationError, match="'ids'"):
        query.plan(lambda: p.view("ids", t.df))
