"""Rows that expire, barriers without data, and rows that came too late."""

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell.errors import ConfigurationError, SourceError
from incremental.events import SCHEMA, START, Run, at, marked, row
from incremental.harness import Row, Table, Upserts, assert_same, bag, bags


class Clock:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return START.replace(tzinfo=UTC).timestamp() + self.seconds


def test_rows_expire_from_a_view_and_from_views_on_it(
    session: SparkSession, tmp_path: Path
) -> None:
    """Against a model, with upserts and deletes of rows that are there, and of expired ones."""
    chance, clock = random.Random(3), Clock()
    table = Upserts(session, tmp_path, "things", "id long, v long", "id")
    location = str(tmp_path / "c")

    def start() -> gs.IncrementalQuery:
        pipeline = gs.pipeline(session, location, clock=clock, tickInterval=3600)
        pipeline.view("recent", table.source(), ttl="1 minute")
        pipeline.view("counts", pipeline.read("recent").groupBy("v").count())
        return pipeline.start()

    run = start()
    changed: dict[int, tuple[float, int]] = {}
    last: dict[int, int] = {}
    for step in range(14):
        clock.seconds += chance.choice([0, 5, 20, 45])
        some: dict[int, Row] = {}
        for number in chance.sample(range(6), chance.randrange(3)):
            gone = chance.random() < 0.2
            some[number] = {"id": number, "v": chance.randrange(3), "gone": gone}
        table.put(some.values())
        for number, new in some.items():
            if new["gone"]:
                changed.pop(number, None)
                last.pop(number, None)
            elif last.get(number) != new["v"]:
                last[number] = new["v"]
                changed[number] = (clock.seconds, new["v"])
        changed = {i: (t, v) for i, (t, v) in changed.items() if t > clock.seconds - 60}
        run.tick()
        run.processAllAvailable()
        found = bags(gs.read_views(session, location))
        wanted = Counter((i, v) for i, (_, v) in changed.items())
        assert_same(found["recent"], wanted, f"step {step}")
        counts = Counter(v for _, v in changed.values())
        assert_same(found["counts"], Counter(counts.items()), f"step {step}")
        if step == 7:
            run.stop()
            run = start()
    run.stop()


@pytest.mark.parametrize("conflict", ["overwrite", pytest.param("ignore", marks=pytest.mark.rest)])
def test_rows_expire_from_a_table_so_long_after_their_last_write(
    session: SparkSession, tmp_path: Path, conflict: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Against a model: what is written again lives on, and what is dead is no conflict."""
    chance, clock = random.Random(5), Clock()
    table = Upserts(session, tmp_path, "things", "id long, v long", "id")
    location = str(tmp_path / "c")

    def start() -> gs.IncrementalQuery:
        pipeline = gs.pipeline(session, location, clock=clock, tickInterval=3600)
        source = gs.upserts(
            table.stream(), "id", delete="gone", conflict=conflict, ttl="1 minute", name="things"
        ).drop("gone")
        pipeline.view("things", source)
        pipeline.view("counts", source.groupBy("v").count())
        return pipeline.start()

    run = start()
    run.explain()
    assert "each kept 60 s after its last write" in capsys.readouterr().out
    model: dict[int, tuple[float, int]] = {}
    for step in range(16):
        clock.seconds += chance.choice([0, 5, 20, 45])
        model = {i: (t, v) for i, (t, v) in model.items() if t > clock.seconds - 60}
        rows: list[Row] = []
        for number in chance.sample(range(6), chance.randrange(4)):
            gone = chance.random() < 0.2
            new = chance.randrange(2)
            rows.append({"id": number, "v": new, "gone": gone})
            if gone:
                model.pop(number, None)
            elif conflict == "overwrite" or number not in model:
                model[number] = (clock.seconds, new)
        table.put(rows)
        run.tick()
        run.processAllAvailable()
        found = bags(gs.read_views(session, location))
        assert_same(found["things"], Counter((i, v) for i, (_, v) in model.items()), f"{step}")
        counts = Counter(v for _, v in model.values())
        assert_same(found["counts"], Counter(counts.items()), f"step {step}")
        if step == 8:
            run.stop()
            run = start()
    clock.seconds += 60
    run.tick()
    run.processAllAvailable()
    assert run.view("things").count() == 0
    kept = {o["op"]: o["stateRows"] for o in run.lastProgress["operators"]}
    assert kept["normalize"] == 0
    run.stop()


@pytest.mark.rest
def test_a_table_that_people_write_to_may_have_a_time_to_live(
    session: SparkSession, tmp_path: Path
) -> None:
    clock = Clock()
    pipeline = gs.pipeline(session, str(tmp_path / "c"), clock=clock, tickInterval=3600)
    carts = pipeline.table("carts", "id long, item string", key="id", ttl="1 hour")
    assert carts.df is not None
    pipeline.view("items", carts.df.groupBy("item").count())
    with pytest.raises(SourceError, match="ttl needs key="):
        pipeline.table("notes", "text string", ttl="1 hour")
    with pytest.raises(ConfigurationError, match="ttl must be"):
        pipeline.table("others", "id long", key="id", ttl="later")
    with pytest.raises(ConfigurationError, match="- ttl = "):
        pipeline.table("carts", "id long, item string", key="id")
    carts.upsert(session.sql("select 1L id, 'tea' item union all select 2L, 'tea'"))
    run = pipeline.start()
    run.processAllAvailable()
    clock.seconds = 1800
    gs.table(session, str(tmp_path / "c"), "carts").upsert(session.sql("select 2L id, 'tea' item"))
    run.processAllAvailable()
    clock.seconds = 3600
    run.tick()
    run.processAllAvailable()
    assert bag(run.view("items")) == {("tea", 1): 1}
    clock.seconds = 5400
    run.tick()
    run.processAllAvailable()
    assert bag(run.view("items")) == {}
    run.stop()


@pytest.mark.rest
def test_rows_expire_by_a_column(session: SparkSession, tmp_path: Path) -> None:
    clock = Clock()
    events = Table(session, tmp_path, "events", SCHEMA)
    view = events.stream().incremental(ttl=timedelta(seconds=60), ttl_column="ts")
    run = Run(session, tmp_path, view, events, options={"clock": clock, "tickInterval": 3600})
    run.feed([row(0), row(30, "b")])
    clock.seconds = 60
    assert [(r[1], r[-1]) for r in run.tick()] == [("a", "delete")]
    clock.seconds = 90
    assert [(r[1], r[-1]) for r in run.tick()] == [("b", "delete")]
    run.query.stop()
    with pytest.raises(ConfigurationError, match="timestamp column of the view"):
        events.stream().incremental(ttl="1 hour", ttl_column="k")
    with pytest.raises(ConfigurationError, match="ttl must be"):
        events.stream().incremental(ttl="soon")
    with pytest.raises(ConfigurationError, match="needs ttl"):
        events.stream().incremental(ttl_column="ts")


@pytest.mark.rest
def test_windows_close_without_new_data(session: SparkSession, tmp_path: Path) -> None:
    events = Table(session, tmp_path, "events", SCHEMA)
    view = marked(events).groupBy(F.window("ts", "1 minute"), "k").count()
    view = view.select(F.col("window.end").cast("string").alias("e"), "k", "count")
    run = Run(session, tmp_path, view.incremental("window_close"), events, options={})
    run.feed([row(1), row(70)])
    with pytest.raises(ConfigurationError, match="tickInterval"):
        run.query.tick()
    run.query.stop()
    run.options["tickInterval"] = 3600  # a pipeline that has run gets a clock, and loses it
    run.start()
    run.feed([row(70, "b")])
    assert run.tick() == []  # what was final has left with the barrier before
    assert gs.read_view(session, run.location, "v").collect()[0]["e"] == at(60)
    run.feed([row(130)])
    assert [c[1:] for c in run.tick()] == [("a", 1, "insert"), ("b", 1, "insert")]
    run.query.stop()
    run.options["tickInterval"] = 1
    run.start()
    run.feed([row(190)])
    run.wait(4)
    run.query.stop()
    events.put([row(191)])
    run.start(availableNow=True)  # has no ticks, so it ends
    run.query.awaitTermination()
    del run.options["tickInterval"]
    run.start()
    run.feed([row(192)])
    run.query.stop()


@pytest.mark.rest
def test_an_idle_source_is_left_behind_without_new_data(
    session: SparkSession, tmp_path: Path
) -> None:
    tables = [Table(session, tmp_path, name, SCHEMA) for name in ("events", "others")]
    closing = marked(tables[0]).unionAll(marked(tables[1]))
    closing = closing.groupBy(F.window("ts", "1 minute")).count()
    run = Run(
        session,
        tmp_path,
        closing.incremental("window_close"),
        *tables,
        options={"tickInterval": 1, "idleTimeout": 1},
    )
    run.feed([row(1)], [row(2)])
    run.feed([row(100)], [])
    run.wait(1)
    assert [r["count"] for r in gs.read_view(session, run.location, "v").collect()] == [2]
    run.query.stop()


@pytest.mark.rest
def test_late_rows_are_a_stream_of_their_own(session: SparkSession, tmp_path: Path) -> None:
    events = Table(session, tmp_path, "events", SCHEMA)
    source = gs.appends(marked(events), name="events")
    location = str(tmp_path / "c")
    delivered: list[tuple[Any, ...]] = []

    def deliver(changes: Any, epoch: int) -> None:
        delivered.extend(tuple(r) for r in changes.select("k", "_change_type").collect())

    pipeline = gs.pipeline(session, location)
    pipeline.view("in_time", source.groupBy("k").count())
    pipeline.view("late", gs.late_rows(source), foreachBatch=deliver)
    pipeline.view("late_by_key", gs.late_rows(source).groupBy("k").count())
    run = pipeline.start()
    for rows in ([row(100)], [row(89, "b"), row(90, "a"), row(5, "b", 7)], [row(101, "b")]):
        events.put(rows)
        run.processAllAvailable()
    views = {name: bag(view) for name, view in gs.read_views(session, location).items()}
    assert views["in_time"] == {("a", 2): 1, ("b", 1): 1}
    assert sorted((k, v) for _, k, v in views["late"]) == [("b", 1), ("b", 7)]
    assert views["late_by_key"] == {("b", 2): 1}
    assert delivered == [("b", "insert")] * 2
    assert sum(p["lateRows"] for p in run.recentProgress) == 2
    run.stop()
    assert datetime.fromisoformat(at(89)) in {r["ts"] for r in run.view("late").collect()}
    with pytest.raises(SourceError, match="no watermark"):
        gs.late_rows(gs.appends(events.stream(), name="plain"))
