"""Random queries over streams with watermarks, some of whose rows are late. What is cleaned up
never shows: a view equals batch Spark over the rows that were in time, after every barrier. A view
that emits on window close has the same rows once all windows have closed, and takes none back.
"""

import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import note
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.checking import batch_bags
from incremental.events import SCHEMA, marked, row
from incremental.harness import Bags, Row, Table, Tables, Upserts, assert_same, bags, one_barrier
from incremental.searching import search
from incremental.times import Maker

pytestmark = pytest.mark.rest

STEPS = 6
STEP = 20  # seconds from one barrier to the next
DELAY = 10
END = 100_000
"""When the last windows have closed."""


class Fed:
    """Rows of one stream, some of which come too late."""

    def __init__(self, rng: random.Random, table: Table) -> None:
        self.rng, self.table = rng, table
        self.kept: list[Row] = []
        self.watermark = self.newest = -1e9

    def put(self, second: float) -> None:
        """What a barrier reads; what is in time is kept."""
        times = [
            self.rng.randint(round(second) - 25, round(second) + 20)
            for _ in range(self.rng.choice([0, 1, 4, 8]))
        ]
        rows = [row(t, self.rng.choice("ab"), self.rng.randrange(4)) for t in times]
        if self.rng.random() < 0.1:
            rows.append({**row(0), "ts": None})
        self.table.put(rows)
        in_time = [r for r, t in zip(rows, times, strict=False) if t >= self.watermark]
        self.kept = [*self.kept, *in_time, *rows[len(times) :]]
        self.newest = max([self.newest, *times])

    def passed(self) -> None:
        """A barrier has ended."""
        self.watermark = max(self.watermark, self.newest - DELAY)


def test_random_views_over_time_equal_batch_over_the_rows_in_time(
    session: SparkSession, tmp_path: Path
) -> None:
    def check(rng: random.Random, views: int) -> None:
        shutil.rmtree(tmp_path, ignore_errors=True)
        tmp_path.mkdir()
        check_times(session, tmp_path, rng, views)

    search(check)


def check_times(session: SparkSession, folder: Path, rng: random.Random, count: int) -> None:
    streams = [Table(session, folder, name, SCHEMA) for name in ("a", "b")]
    changed = Upserts(session, folder, "u", "k string, v long", "k")
    tables = Tables(*streams, changed)
    location = str(folder / "c")
    queries: dict[str, str] = {}
    closing: set[str] = set()

    def begin() -> gs.Pipeline:
        for stream in streams:
            gs.appends(marked(stream), name=stream.name).createOrReplaceTempView(stream.name)
        changed.source().createOrReplaceTempView("u")
        pipeline = gs.pipeline(session, location, retainEpochs=5, retireEvery=1)
        for name, text in queries.items():
            emit = "window_close" if name in closing else "update"
            pipeline.view(name, session.sql(text), emit=emit)
            pipeline.read(name).createOrReplaceTempView(name)
        return pipeline

    pipeline = begin()
    while len(queries) < count:
        name = f"v{len(queries)}"
        readable = ["a", "b", "a", "b", *(view for view in queries if view not in closing)]
        text = Maker(rng, readable).query(rng.randint(1, 3))
        try:
            pipeline.view(name, session.sql(text), emit="window_close")
            closing.add(name)
        except gs.NotIncremental:
            pipeline.view(name, session.sql(text))
        pipeline.read(name).createOrReplaceTempView(name)
        queries[name] = text
    for name, text in queries.items():
        note(f"{name}{' closing' if name in closing else ''}: {text}")

    fed = [Fed(rng, stream) for stream in streams]
    found, kept = [], []
    run = begin().start()

    def feed(put: Callable[[], Any]) -> None:
        with one_barrier(run):
            put()
        run.processAllAvailable()
        if run.lastProgress is not None or found:
            found.append(bags({name: run.view(name) for name in queries}))
            kept.append([*(list(each.kept) for each in fed), list(changed.rows)])
        for each in fed:
            each.passed()

    def some(step: int) -> None:
        for each in fed:
            each.put(step * STEP)
        changed.put(
            [
                {"k": rng.choice("ab"), "v": rng.randrange(4), "gone": rng.random() < 0.2}
                for _ in range(rng.randint(0, 2))
            ]
        )

    def flush(second: int) -> None:
        for each in streams:
            each.put([row(second, "z")])

    try:
        for step in range(STEPS):
            feed(lambda step=step: some(step))
            note(f"step {step}: {[each.rows for each in tables.tables]}")
            if rng.random() < 0.3:
                run.stop()
                run = begin().start()
        in_time = kept[-1] if kept else [[], [], []]
        feed(lambda: flush(END))
        feed(lambda: flush(END + 1))
    finally:
        run.stop()

    def batch(rows: list[list[Row]]) -> Bags:
        for table, some in zip(tables.tables, rows, strict=True):
            table.snapshots.append(some)
        tables.as_batch()
        return batch_bags(session, queries)

    for number, views in enumerate(found[:-2]):
        wanted = batch(kept[number])
        for name in queries.keys() - closing:
            where = f"{name}, step {number}: {queries[name]}"
            assert_same(views[name], wanted[name], where)
    timed = [[r for r in rows if "ts" not in r or r["ts"]] for rows in in_time]
    final = batch(timed)  # a row without a time is never final
    for name in closing:
        in_view = Counter({row: n for row, n in final[name].items() if row[0] is not None})
        where = f"{name}, closed: {queries[name]}"
        assert_same(found[-1][name], in_view, where)
    for number, views in enumerate(found[1:]):
        for name in closing:
            gone = found[number][name] - views[name]
            assert not gone, f"{name} took back {gone}: {queries[name]}"
