"""Watermarks, late rows and window close, as users see them."""

import random
import time
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from cases import first_of
from groundswell.errors import NotIncremental, SourceError
from incremental.events import SCHEMA, Run, at, marked, row
from incremental.harness import Table, bag


@pytest.fixture
def events(session: SparkSession, tmp_path: Path) -> Table:
    return Table(session, tmp_path, "events", SCHEMA)


def per_minute(frame: DataFrame) -> DataFrame:
    return (
        frame.groupBy(F.window("ts", "1 minute"), "k")
        .agg(F.sum("v").alias("s"), F.max("v").alias("m"), F.countDistinct("v").alias("d"))
        .select(F.col("window.start").cast("string").alias("w"), "k", "s", "m", "d")
    )


def test_a_window_leaves_once_when_the_watermark_has_passed_its_end(
    session: SparkSession, tmp_path: Path, events: Table
) -> None:
    run = Run(session, tmp_path, per_minute(marked(events)).incremental("window_close"), events)
    assert run.feed([row(5), row(20, v=4), row(30, "b")]) == []
    assert run.feed([row(50, v=1)]) == []
    assert run.feed([row(69.9)]) == []  # the watermark moves to 59.9
    assert run.feed([row(70)]) == []  # ... and to 60, from the next barrier on
    closed = run.feed([row(61), row(59)])  # the second one is late
    assert closed == [
        ("2024-01-01 00:00:00", "a", 6, 4, 2, "insert"),
        ("2024-01-01 00:00:00", "b", 1, 1, 1, "insert"),
    ]
    assert run.progress()["lateRows"] == 1
    run.query.stop()
    run.start()
    assert run.feed([row(200)]) == []
    assert run.feed([row(201)]) == [("2024-01-01 00:01:00", "a", 3, 1, 1, "insert")]
    run.query.stop()
    assert gs.read_view(session, run.location, "v").count() == 3


def test_late_rows_are_dropped_from_views_that_emit_on_update(
    session: SparkSession, tmp_path: Path, events: Table
) -> None:
    run = Run(session, tmp_path, marked(events).groupBy("k").count().incremental(), events)
    assert run.feed([row(100)]) == [("a", 1, "insert")]
    assert run.feed([row(89), row(90)]) == [
        ("a", 1, "update_preimage"),
        ("a", 2, "update_postimage"),
    ]
    assert run.progress()["eventTimes"]["source_1"]["late"] == 1
    run.query.stop()


@pytest.mark.rest
def test_rows_leave_in_time_order_without_windows(
    session: SparkSession, tmp_path: Path, events: Table
) -> None:
    view = (
        marked(events, "5 seconds")
        .where("v > 0")
        .select("v", F.date_trunc("minute", "ts").alias("m"))
    )
    run = Run(session, tmp_path, view.select("v", F.col("m").cast("string")).incremental(), events)
    run.query.stop()
    run = Run(session, tmp_path / "b", view.incremental("window_close"), events)
    run.feed([row(10, v=3), row(64, v=2), row(66, v=5)])
    assert [r[0] for r in run.feed([row(70, v=1)])] == [3]
    run.query.stop()


@pytest.mark.rest
def test_a_join_of_windows_closes_when_both_sides_have_passed(
    session: SparkSession, tmp_path: Path, events: Table
) -> None:
    others = Table(session, tmp_path, "others", SCHEMA)
    for table in (events, others):
        gs.appends(marked(table, "0 seconds"), name=table.name).createOrReplaceTempView(table.name)
    view = session.sql(
        """SELECT string(a.window.start) w, a.k, a.n, b.n m FROM
           (SELECT window(ts, '1 minute') window, k, count(*) n FROM events GROUP BY 1, 2) a JOIN
           (SELECT window(ts, '1 minute') window, k, count(*) n FROM others GROUP BY 1, 2) b
           ON a.window = b.window AND a.k = b.k"""
    )
    run = Run(session, tmp_path, view.incremental("window_close"), events, others)
    run.feed([row(1), row(2), row(60)], [row(3)])
    assert run.feed([row(61)], [row(59)]) == []  # the second source holds the watermark back
    run.feed([], [row(60)])
    assert run.feed([], [row(61)]) == [("2024-01-01 00:00:00", "a", 2, 2, "insert")]
    run.query.stop()


@pytest.mark.rest
def test_state_stays_flat_over_many_windows(
    session: SparkSession, tmp_path: Path, events: Table
) -> None:
    run = Run(session, tmp_path, per_minute(marked(events)).incremental("window_close"), events)
    sizes = []
    for minute in range(30):
        run.feed([row(60 * minute + 2 * i, f"k{i % 7}", i) for i in range(30)])
        sizes.append(run.state_bytes())
    run.query.stop()
    view = gs.read_view(session, run.location, "v")
    assert view.count() == 7 * 28
    # Least of five: files that a merge replaced may be deleted after the next barrier.
    assert min(sizes[-5:]) < 1.3 * max(sizes[5:15]), sizes
    assert all(c[-1] == "insert" for changes in run.changes.values() for c in changes)
    events.snapshots.append(events.rows)
    assert bag(view) == bag(per_minute(events.batch()).where(F.col("w") < at(60 * 28)))


@pytest.mark.parametrize("seed", first_of([1, 2]))
def test_closed_windows_equal_batch_over_the_rows_in_time(
    session: SparkSession, tmp_path: Path, events: Table, seed: int
) -> None:
    chance = random.Random(seed)

    def query(frame: DataFrame) -> DataFrame:
        return frame.groupBy(F.window("ts", "40 seconds", "20 seconds"), "k").agg(
            F.count("*").alias("n"), F.min("v").alias("low"), F.stddev("v").alias("s")
        )

    run = Run(session, tmp_path, query(marked(events)).incremental("window_close"), events)
    newest, watermark, kept, late, dropped = -1e9, -1e9, [], 0, 0
    for step in range(8):
        rows = []
        for _ in range(chance.randrange(1, 12)):
            second = chance.uniform(30 * step - 40, 30 * step + 10)
            rows.append((second, row(second, chance.choice("ab"), chance.randrange(5))))
        kept += [r for second, r in rows if second >= watermark]
        late += sum(second < watermark for second, _ in rows)
        passed = watermark
        newest = max([newest, *(second for second, _ in rows)])
        run.feed([r for _, r in rows])
        dropped += run.progress()["lateRows"]
        watermark = max(watermark, newest - 10)
        if step == 4:
            run.query.stop()
            run.start()
    assert all(c[-1] == "insert" for changes in run.changes.values() for c in changes)
    run.query.stop()
    assert dropped == late, f"seed {seed}"
    events.rows = kept
    events.snapshots.append(kept)
    batch = query(events.batch()).where(F.col("window.end") <= F.lit(at(passed)).cast("timestamp"))
    assert bag(gs.read_view(session, run.location, "v")) == bag(batch), f"seed {seed}"
    assert batch.count() > 5


@pytest.mark.rest
def test_a_silent_source_is_left_behind_after_its_timeout(
    session: SparkSession, tmp_path: Path, events: Table
) -> None:
    others = Table(session, tmp_path, "others", SCHEMA)
    view = per_minute(marked(events).unionAll(marked(others)))
    run = Run(session, tmp_path, view.incremental("window_close"), events, others)
    run.feed([row(1)], [row(2)])
    run.feed([row(100)], [])
    assert run.feed([row(101)], []) == []
    run.query.stop()
    run.options["idleTimeout"] = 1
    run.start()
    time.sleep(1.1)
    assert len(run.feed([row(102)], [])) == 1
    run.query.stop()


def test_what_has_no_watermark_is_refused(session: SparkSession, events: Table) -> None:
    with pytest.raises(NotIncremental, match="no source has a watermark"):
        per_minute(events.stream()).incremental("window_close")
    with pytest.raises(NotIncremental, match="does not reach the stream key"):
        marked(events).groupBy("k").count().incremental("window_close")
    with pytest.raises(SourceError, match="on the stream itself"):
        gs.appends(events.stream(), name="plain").withWatermark("ts", "1 second")
    changes = marked(events).withColumn("_change_type", F.lit("insert"))
    with pytest.raises(SourceError, match="withWatermark"):
        gs.changelog(changes, key="k", name="up").incremental()
