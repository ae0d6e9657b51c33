"""A top-N over all rows, with a stage in each partition below it."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell.optimizer import stages
from groundswell.runtime.planning import planned as planning

pytestmark = pytest.mark.rest

COLUMNS = "id int, g int, v long"
QUERIES: dict[str, Callable[[DataFrame], DataFrame]] = {
    "first": lambda t: t.orderBy("v", "id").limit(5),
    "ties": lambda t: t.orderBy(F.desc_nulls_last("g"), "id").select("g", "id").limit(7),
    "later": lambda t: t.orderBy(F.desc("v"), "id").offset(3).limit(4),
    "of_groups": lambda t: t.groupBy("g").agg(F.sum("v").alias("s")).orderBy("s", "g").limit(2),
    "counted": lambda t: t.orderBy("v", "id").limit(6).groupBy("g").count(),
}


class Items:
    """A pipeline with these views over a table, and the rows that the table has."""

    def __init__(self, session: SparkSession, location: Path, rng: random.Random) -> None:
        self.session, self.location, self.rng = session, location, rng
        self.rows: dict[int, tuple[int, int | None, int | None]] = {}
        self.pipeline = self.make()

    def make(self, **options: Any) -> gs.Pipeline:
        self.pipeline = gs.pipeline(self.session, str(self.location), **{"partitions": 8} | options)
        self.table = self.pipeline.table("items", COLUMNS, key="id")
        for name, of in QUERIES.items():
            self.pipeline.view(name, of(self.table.df))
        return self.pipeline

    def change(self) -> None:
        rng = self.rng
        if self.rows and rng.random() < 0.5:
            gone = rng.sample(sorted(self.rows), min(len(self.rows), rng.randint(1, 15)))
            rows = [self.rows.pop(key) for key in gone]
            self.table.delete(self.session.createDataFrame(rows, COLUMNS))
            return
        rows = [
            (key, rng.choice([None, 0, 1, 2]), rng.choice([None, *range(9)]))
            for key in rng.sample(range(60), rng.randint(1, 20))
        ]
        self.rows |= {row[0]: row for row in rows}
        self.table.upsert(self.session.createDataFrame(rows, COLUMNS))

    def barriers(self, query: gs.IncrementalQuery, count: int) -> None:
        """Changes rows, and compares all views with batch Spark, at each epoch."""
        for _ in range(count):
            self.change()
            query.processAllAvailable()
            batch = self.session.createDataFrame(list(self.rows.values()), COLUMNS)
            for name, of in QUERIES.items():
                found = sorted(map(repr, query.view(name).collect()))
                assert found == sorted(map(repr, of(batch).collect())), name


def states(query: gs.IncrementalQuery) -> dict[str, int]:
    """Rows of the states of top-N, by what the states are."""
    assert query.lastProgress is not None
    found = {"top_n": 0, "top_n_local": 0}
    for operator in query.lastProgress["operators"]:
        state = str(operator.get("state", ""))
        if state.startswith("top_n"):
            found[state.partition("-")[0]] += operator["stateRows"]
    return found


@pytest.fixture
def items(session: SparkSession, tmp_path: Path) -> Items:
    seed = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 31)))
    print(f"seed {seed}")
    return Items(session, tmp_path / "checkpoint", random.Random(seed))


def test_every_epoch_equals_batch_over_a_restart_and_other_partitions(items: Items) -> None:
    query = items.pipeline.start()
    items.barriers(query, 3)
    query.stop()
    query = items.make().start()
    items.barriers(query, 2)
    query.rescale(2)
    items.barriers(query, 1)
    query.rescale(5)
    items.barriers(query, 2)
    query.stop()


def test_what_passed_a_part_is_taken_back_by_it_in_other_partitions(items: Items) -> None:
    rows = [(key, 0, key) for key in range(60)]
    items.rows = {row[0]: row for row in rows}
    query = items.pipeline.start()
    items.table.upsert(items.session.createDataFrame(rows, COLUMNS))
    query.processAllAvailable()
    query.rescale(3)
    gone = [items.rows.pop(key) for key in range(30)]
    items.table.delete(items.session.createDataFrame(gone, COLUMNS))
    query.processAllAvailable()
    assert sorted(row.id for row in query.view("first").collect()) == [30, 31, 32, 33, 34]
    query.stop()


def test_the_last_stage_keeps_few_rows(items: Items, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(key, key % 3, key) for key in range(6000)]
    items.rows = {row[0]: row for row in rows}
    query = items.pipeline.start()
    items.table.upsert(items.session.createDataFrame(rows, COLUMNS))
    items.barriers(query, 1)
    found = states(query)
    query.stop()
    assert found["top_n_local"] >= 4 * 5900
    ends = 5 + 7 + 7 + 2 + 6
    assert found["top_n"] <= 64 * ends
    capsys.readouterr()
    items.pipeline.explain()
    shown = capsys.readouterr().out
    assert "two stages: each of 64 parts of the rows passes on its first 7" in shown


def test_a_view_that_began_with_one_stage_goes_on_with_it(
    items: Items, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as before:  # as releases did that knew no other
        before.setattr(planning, "two_stages", lambda *_: frozenset())
        query = items.pipeline.start()
        items.barriers(query, 2)
        query.stop()
    items.make()
    capsys.readouterr()
    items.pipeline.explain()
    assert "one stage, in one partition: it was begun with one" in capsys.readouterr().out
    query = items.pipeline.start()
    items.barriers(query, 2)
    assert states(query)["top_n_local"] == 0
    query.addView("more", items.table.df.orderBy(F.desc("id")).limit(3))
    items.change()
    query.processAllAvailable()
    planned = items.pipeline.program.planned().dataflow().states
    assert len([s for s in planned if s.startswith(stages.LOCAL)]) == 1, "a new view has two"
    wanted = sorted(items.rows, reverse=True)[:3]
    assert sorted((row.id for row in query.view("more").collect()), reverse=True) == wanted
    query.stop()


def test_where_it_does_not_pay_there_is_one(session: SparkSession, tmp_path: Path) -> None:
    def plan(partitions: int, rows: int) -> str:
        p = gs.pipeline(session, str(tmp_path / f"{partitions}-{rows}"), partitions=partitions)
        table = p.table("items", COLUMNS, key="id")
        p.view("v", table.df.orderBy("v").limit(rows))
        planned = p.program.planned()
        locals_ = [s for s in planned.dataflow().states if s.startswith(stages.LOCAL)]
        return planned.explain() + f"\n{len(locals_)} local"

    assert "there are 7 partitions" in plan(7, 5)
    assert "0 local" in plan(7, 5)
    assert "it reaches 1,001 rows" in plan(8, 1001)
    assert "1 local" in plan(8, 1000)
