"""Pipelines whose views come and go at random: added and dropped while they run, in another order
or with another query at a restart, after barriers that fail at any point. Every view that is there
equals batch Spark after every step, epochs stay as they were, and a sink's changes make the view.
"""

import random
import shutil
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import note
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.runtime.barriers import runner
from incremental.checking import (
    LOCAL_EXCHANGE,
    Delivered,
    Step,
    batch_bags,
    put,
    spark_plans,
)
from incremental.harness import Bag, Bags, Tables, assert_same, bags
from incremental.random_plans import SCHEMA, Changes, Maker
from incremental.searching import search
from incremental.test_random import tables_in

pytestmark = pytest.mark.rest

STEPS = 8
SOURCES = {"all_t": "select * from t", "all_u": "select * from u", "all_c": "select * from c"}
"""Views that stay, so that no source is given up; ``t`` is a table of the pipeline."""
NAMES = ("v1", "v2", "v3", "v4")
RETAINED = 3
POINTS = ("before_publish", "after_publish", "after_delivery", "between_checkpoints")


class Failed(Exception):  # noqa: N818 (on purpose)
    """What ends a barrier at an armed point."""


class Life:
    """One pipeline with its views, over all its runs."""

    def __init__(
        self, session: SparkSession, folder: Path, tables: Tables, rng: random.Random
    ) -> None:
        self.session, self.folder, self.tables, self.rng = session, folder, tables, rng
        self.queries = dict(SOURCES)
        self.reads: dict[str, set[str]] = {name: set() for name in SOURCES}
        self.sinks: dict[str, tuple[Bag, Delivered]] = {}
        self.log: list[str] = []
        self.begun = False
        self.seen: dict[int, Bags] = {}
        self.frames = {t.name: t.source() for t in tables.tables if t.name != "t"}
        self.run = self._pipeline().start()

    def act(self) -> None:
        """Something happens to the views."""
        act: Callable[[], None] = self.rng.choice(
            [self.add, self.add, self.drop, self.restart, lambda: None]
        )
        act()

    def add(self) -> None:
        """A view comes while the others run; it may have been there before."""
        free = [name for name in NAMES if name not in self.queries]
        if not free:
            return self.drop()
        name = self.rng.choice(free)
        self._in_scope(self.pipeline)
        made = self._made(name)
        if made is None:
            return None
        text, read = made
        sink = Delivered() if self.rng.random() < 0.5 else None
        self.log.append(f"add {name}: {text}")
        self.run.addView(name, self.session.sql(text), sink)
        self.queries[name], self.reads[name] = text, read
        if sink is not None:
            self.sinks[name] = (self.shown()[name] if self.begun else Counter(), sink)
        return None

    def drop(self) -> None:
        """A view that no other reads goes."""
        name = self._leaf()
        if name is not None:
            self.log.append(f"drop {name}")
            self._forget(name)
            self.run.dropView(name)

    def restart(self) -> None:
        """The views come in another order, one of them as another query or not at all."""
        self.run.stop()
        dropped: set[str] = set()
        changes = "error"
        name = self._leaf() if self.rng.random() < 0.6 else None
        if name is not None:
            self._forget(name)
            dropped.add(name)
            self._in_scope(self.pipeline)
            made = self._made(name) if self.rng.random() < 0.6 else None
            if made is not None:
                self.queries[name], self.reads[name] = made
                dropped, changes = set(), "rebuild"
        self._shuffle()
        self.log.append(f"restart {changes}: {self.queries} without {dropped}")
        self.run = self._pipeline(dropped, changes).start()

    def fail(self, monkeypatch: pytest.MonkeyPatch, step: Step) -> None:
        """A barrier ends at some point, and the next run goes on."""
        point = self.rng.choice(POINTS)
        self.log.append(f"fail {point}")

        def hit(_: Any, name: str) -> None:
            if name == point:
                raise Failed(name)

        with monkeypatch.context() as patch:
            patch.setattr(runner.JvmRunner, "fail_point", hit)
            put(self.tables, step, self.run)
            with suppress(Failed, gs.PipelineFailed):
                self.run.processAllAvailable()
                self.run.stop()
        self.run = self._pipeline().start()

    def shown(self) -> Bags:
        """What the views hold."""
        return bags({name: self.run.view(name) for name in self.queries})

    def compare(self, number: int) -> None:
        """The views with batch Spark."""
        self.begun |= self.run.lastProgress is not None
        if not self.begun:
            return
        found = self.shown()
        self.seen[self.run.snapshot().epoch] = found
        self.tables.as_batch(number)
        batch = batch_bags(self.session, self.queries)
        for name, text in self.queries.items():
            assert_same(found[name], batch[name], f"step {number}, {name}: {text}\n{self.log}")

    def look_back(self) -> None:
        """An epoch that is still there is as it was, also of views that have gone since."""
        epoch = self.rng.choice(sorted(self.seen)[-RETAINED:]) if self.seen else None
        if epoch is not None:
            for name, seen in self.seen[epoch].items():
                found = bags({name: self.run.view(name, epoch)})
                assert_same(found[name], seen, f"{name} at epoch {epoch}\n{self.log}")

    def end(self) -> None:
        """Stops it, and compares what sinks were given."""
        self.run.stop()
        found = self.shown() if self.begun else {}
        for name, (base, sink) in self.sinks.items() if found else ():
            assert_same(sink.replayed(base), found[name], f"sink of {name}\n{self.log}")

    def _forget(self, name: str) -> None:
        del self.queries[name], self.reads[name]
        self.sinks.pop(name, None)

    def _leaf(self) -> str | None:
        read = set().union(*self.reads.values())
        free = [name for name in self.queries if name not in read and name not in SOURCES]
        return self.rng.choice(free) if free else None

    def _shuffle(self) -> None:
        """Another order in which views come after those that they read."""
        left, order = list(self.queries), []
        while left:
            ready = [name for name in left if not self.reads[name] & set(left)]
            order.append(self.rng.choice(ready))
            left.remove(order[-1])
        self.queries = {name: self.queries[name] for name in order}

    def _made(self, name: str) -> tuple[str, set[str]] | None:
        """A query over sources and views, and what views it reads."""
        views = list(self.queries)
        names = self.rng.sample(["t", "u", "c", *views], min(3, 3 + len(views)))
        text = Maker(self.rng, self.rng.randint(0, 3), names).query()
        try:
            self.session.sql(text)._jdf.queryExecution().optimizedPlan()
        except Py4JJavaError:
            if spark_plans(self.tables, {**self.queries, name: text}):
                raise
            return None
        return text, {view for view in views if f" {view}" in text}

    def _in_scope(self, pipeline: gs.Pipeline) -> None:
        for name, frame in self.frames.items():
            frame.createOrReplaceTempView(name)
        pipeline.createTempViews()

    def _pipeline(self, dropped: Collection[str] = (), changes: str = "error") -> gs.Pipeline:
        every, overlap = self.rng.choice([(1, 0), (1, 2), (3, 0)])
        self.session.conf.set(LOCAL_EXCHANGE, str(self.rng.random() < 0.5).lower())
        self.pipeline = gs.pipeline(
            self.session,
            str(self.folder / "c"),
            checkpointEvery=every,
            checkpointOverlap=overlap,
            onChange=changes,
            retainEpochs=RETAINED,
            retireEvery=2,
        )
        written = self.pipeline.table("t", SCHEMA)
        assert written.df is not None
        self.frames["t"] = written.df
        self.tables.tables[0].folder = self.folder / "c/groundswell/tables/t/rows"
        self._in_scope(self.pipeline)
        for name, text in self.queries.items():
            _, sink = self.sinks.get(name, (None, None))
            self.pipeline.view(name, self.session.sql(text), sink).createTempViews()
        for name in dropped:
            self.pipeline.drop(name)
        return self.pipeline


def test_random_views_come_and_go(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(rng: random.Random, views: int) -> None:
        shutil.rmtree(tmp_path, ignore_errors=True)
        tmp_path.mkdir()
        live(session, tmp_path, rng, monkeypatch)

    search(check)


def live(
    session: SparkSession, folder: Path, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = tables_in(session, folder / "tables")
    life = Life(session, folder, tables, rng)
    try:
        for number, step in enumerate(Changes(rng).steps(STEPS)):
            life.log.append(f"step {number}")
            if rng.random() < 0.3:
                life.fail(monkeypatch, step)
            else:
                put(tables, step, life.run)
            life.run.processAllAvailable()
            tables.snapshot()
            life.compare(number)
            life.act()
            life.compare(number)
            life.look_back()
    finally:
        life.run.stop()
        note("\n".join(life.log))
    life.end()
