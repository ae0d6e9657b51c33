"""Watermarks on tables that people write to: what is late, and what is final."""

import os
import random
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell.errors import SourceError
from incremental.harness import bag

pytestmark = pytest.mark.rest

START = datetime(2024, 1, 1)
SCHEMA = "id int, ts timestamp, v int"
Row = tuple[int, float | None, int]


class Life:
    """A pipeline over one table, written to barrier by barrier."""

    def __init__(self, session: SparkSession, folder: Path, key: str | None) -> None:
        self.session, self.location, self.key = session, str(folder / "c"), key
        self.open()

    def open(self) -> None:
        self.pipeline = gs.pipeline(self.session, self.location, retainEpochs=3)
        self.table = self.pipeline.table("t", SCHEMA, key=self.key)
        events = self.table.df.withWatermark("ts", "10 seconds")
        self.pipeline.view("rows", events)
        self.pipeline.view("live", per_minute(events))
        self.pipeline.view("closed", per_minute(events), emit="window_close")
        self.query = self.pipeline.start()

    def frame(self, rows: list[Row]) -> DataFrame:
        at = [(i, None if s is None else START + timedelta(seconds=s), v) for i, s, v in rows]
        return self.session.createDataFrame(at, SCHEMA)

    def write(self, rows: list[Row], deletes: list[int] = []) -> None:  # noqa: B006
        if rows:
            (self.table.upsert if self.key else self.table.insert)(self.frame(rows))
        if deletes:
            self.table.delete(self.frame([(i, None, 0) for i in deletes]))
        self.query.processAllAvailable()

    def view(self, name: str) -> DataFrame:
        return gs.read_view(self.session, self.location, name)

    def rows(self) -> set[Row]:
        seconds = F.unix_micros("ts") / 1e6 - START.timestamp()
        shown = self.view("rows").select("id", seconds.alias("s"), "v").collect()
        return {(r.id, r.s, r.v) for r in shown}


def per_minute(events: DataFrame) -> DataFrame:
    grouped = events.groupBy(F.window("ts", "1 minute").alias("w"))
    return grouped.agg(F.sum("v").alias("s"), F.count("*").alias("n"))


@pytest.fixture
def life(session: SparkSession, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Life]:
    made = Life(session, tmp_path, request.param)
    yield made
    with suppress(Exception):
        made.query.stop()


@pytest.mark.parametrize("life", [None], indirect=True)
def test_a_late_row_of_a_table_of_appends_counts_in_no_view(life: Life) -> None:
    life.write([(1, 100, 1), (2, 130, 1)])
    life.write([(3, 121, 1), (4, 119, 1)])  # the watermark is 120
    assert {r[0] for r in life.rows()} == {1, 2, 3}
    assert life.query.lastProgress is not None
    assert life.query.lastProgress["lateRows"] == 1
    assert bag(life.view("live")) == bag(per_minute(life.view("rows")))
    assert [r.n for r in life.view("closed").collect()] == [1]
    life.query.stop()
    life.open()
    life.write([(5, 118, 1), (6, 191, 1)])
    life.write([(7, 300, 1)])
    assert {r[0] for r in life.rows()} == {1, 2, 3, 6, 7}
    assert sorted(r.n for r in life.view("closed").collect()) == [1, 2]


@pytest.mark.parametrize("life", ["id"], indirect=True)
def test_rows_of_a_keyed_table_stay_once_the_watermark_has_passed_them(life: Life) -> None:
    """Against a model: a change is late if the row before it or after it is too old."""
    seed = int(os.environ.get("GROUNDSWELL_SEED") or random.randrange(1 << 31))
    print(f"GROUNDSWELL_SEED={seed}")
    random_ = random.Random(seed)
    model: dict[int, tuple[float | None, int]] = {}
    newest = mark = float("-inf")
    closed: dict[Any, tuple[int, int]] = {}
    for barrier in range(14):
        now = 12.0 * barrier
        rows: list[Row] = [
            (
                random_.randrange(12),
                random_.choice([None, *[round(random_.uniform(now - 45, now + 10))] * 9]),
                random_.randrange(5),
            )
            for _ in range(random_.randrange(1, 6))
        ]
        rows = list({r[0]: r for r in rows}.values())
        gone = random_.sample(range(12), random_.randrange(2))
        mark = max(mark, newest - 10)
        newest = max([newest, *(s for _, s, _ in rows if s is not None)])
        changes = [(i, (s, v)) for i, s, v in rows if s is None or s >= mark]
        if barrier % 5 == 4:
            life.query.stop()
            life.open()
        life.write(rows)
        apply(model, mark, changes)
        if gone:
            mark = max(mark, newest - 10)
            life.write([], gone)
            apply(model, mark, [(i, None) for i in gone])
        assert life.rows() == {(i, s, v) for i, (s, v) in model.items()}
        assert bag(life.view("live")) == bag(per_minute(life.view("rows")))
        found = {r.w.end: (r.s, r.n) for r in life.view("closed").collect() if r.w}
        assert closed.items() <= found.items(), "a closed window changed"
        closed = found
    final = {r.w.end: (r.s, r.n) for r in life.view("live").collect() if r.w}
    assert closed
    assert closed.items() <= final.items()


def apply(
    model: dict[int, tuple[float | None, int]], mark: float, changes: list[tuple[int, Any]]
) -> None:
    for i, row in changes:
        old = model.get(i)
        if old is not None and old[0] is not None and old[0] < mark:
            continue
        if row is None:
            model.pop(i, None)
        else:
            model[i] = row


def test_a_watermark_that_would_be_ignored_is_refused(
    session: SparkSession, tmp_path: Path
) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    table = p.table("t", SCHEMA)
    frame = table.df
    assert frame is not None
    with pytest.raises(SourceError, match="called on the stream itself"):
        frame.where("v > 0").withWatermark("ts", "1 second")
    frame.withWatermark("ts", "1 second")
    with pytest.raises(SourceError, match="has a watermark on ts already, 1000 ms"):
        frame.withWatermark("ts", "2 seconds")
    assert gs.appends(frame) is frame
    lived = p.table("lived", SCHEMA, key="id", ttl="1 hour").df
    assert lived is not None
    with pytest.raises(SourceError, match="ttl"):
        lived.withWatermark("ts", "1 second")
    keyed = p.table("keyed", SCHEMA, key="id").df
    assert keyed is not None
    with pytest.raises(SourceError, match="late_rows"):
        gs.late_rows(keyed.withWatermark("ts", "1 second"))
