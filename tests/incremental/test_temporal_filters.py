"""``ts > now() - interval``: rows that are taken back when they are too old."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from cases import first_of
from groundswell.errors import NotIncremental
from groundswell.physical import temporal
from incremental.harness import Row, Table, Upserts, assert_same, bag, bags

START = datetime(2024, 1, 1, tzinfo=UTC)


class Timed:
    """A view over recent events, with a clock that the test turns."""

    def __init__(self, session: SparkSession, folder: Path, text: str) -> None:
        self.session, self.text, self.location = session, text, str(folder / "c")
        self.events = Table(session, folder, "recent_events", "t long, k string")
        self.seconds = 0.0
        self.start()

    def start(self) -> None:
        frame = self.events.source().withColumn("ts", F.timestamp_seconds("t"))
        frame.createOrReplaceTempView("recent_events")
        writer = self.session.sql(self.text).incremental().writeStream
        writer = writer.option("checkpointLocation", self.location).option("clock", self.clock)
        self.query = writer.toView("v")

    def clock(self) -> datetime:
        return START + timedelta(seconds=self.seconds)

    def feed(self, seconds: float, *rows: Row) -> Any:
        self.seconds = seconds
        self.events.put(rows)
        self.query.processAllAvailable()
        return bag(gs.read_view(self.session, self.location, "v"))


def event(seconds: float, k: str = "a") -> Row:
    return {"t": int(START.timestamp() + seconds), "k": k}


RECENT = "SELECT k FROM recent_events WHERE ts > now() - INTERVAL 60 SECONDS AND k <> 'x'"


def test_rows_go_when_the_clock_has_passed_them(session: SparkSession, tmp_path: Path) -> None:
    run = Timed(session, tmp_path, RECENT)
    assert run.feed(0, event(0), event(10, "b"), event(-60, "old"), event(0, "x")) == {
        ("a",): 1,
        ("b",): 1,
    }
    assert run.feed(59, event(59, "c")) == {("a",): 1, ("b",): 1, ("c",): 1}
    run.query.stop()
    run.start()
    assert run.feed(60, event(-5)) == {("b",): 1, ("c",): 1}
    assert run.feed(5, event(60, "d")) == {("b",): 1, ("c",): 1, ("d",): 1}  # time stands
    assert run.feed(1000, event(0)) == {}
    run.query.stop()


@pytest.mark.rest
def test_a_burst_of_old_rows_is_spread_over_barriers(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temporal, "LIMIT", 3)
    session.conf.set("spark.sql.shuffle.partitions", "1")
    run = Timed(session, tmp_path, RECENT)
    run.feed(0, *(event(i, f"k{i}") for i in range(8)))
    sizes = [run.feed(500, event(0)).total() for _ in range(4)]
    run.query.stop()
    session.conf.unset("spark.sql.shuffle.partitions")
    assert sizes == [5, 2, 0, 0]


@pytest.mark.rest
@pytest.mark.parametrize("seed", [1, 2])
def test_counts_of_recent_rows_equal_batch(
    session: SparkSession, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    run = Timed(
        session,
        tmp_path,
        "SELECT k, count(*) n FROM recent_events "
        "WHERE ts >= current_timestamp() - INTERVAL 1 MINUTE GROUP BY k",
    )
    seconds, rows = 0, []
    for _ in range(8):
        seconds += chance.randrange(40)
        new = [event(seconds - chance.randrange(90), chance.choice("abc")) for _ in range(6)]
        rows += new
        least = event(seconds - 60)["t"]
        wanted: dict[Any, int] = {}
        for row in rows:
            if row["t"] >= least:
                wanted[row["k"]] = wanted.get(row["k"], 0) + 1
        assert run.feed(seconds, *new) == dict.fromkeys(wanted.items(), 1), f"seed {seed}"
    run.query.stop()


CONDITIONS = {
    "today": "ts >= date_trunc('minute', now())",
    "of_the_day": "ts >= date_trunc('day', current_timestamp())",
    "yesterday": "ts > date_trunc('minute', now() - interval 15 seconds) - interval 30 seconds",
    "lately": "ts between now() - interval 40 seconds and now() - interval 10 seconds",
    "soon": "ts between now() and timestamp'2024-01-01 00:01:30'",
    "old": "ts < now() - interval 20 seconds and k <> 'a'",
    "begun": "now() >= ts + interval 5 seconds",
    "begun_minute": "ts <= date_trunc('minute', now())",
}


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.rest)])
def test_conditions_that_begin_and_end_equal_batch(
    session: SparkSession, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    events = Upserts(session, tmp_path, "events", "id long, t long, k string", "id")
    seconds = 0

    def begin() -> gs.IncrementalQuery:
        source = events.source().withColumn("ts", F.timestamp_seconds("t"))
        source.createOrReplaceTempView("events")
        p = gs.pipeline(session, str(tmp_path / "c"), clock=lambda: START.timestamp() + seconds)
        for name, condition in CONDITIONS.items():
            p.view(name, session.sql(f"select id, t, k from events where {condition}"))
        return p.start()

    run = begin()
    for step in range(8):
        seconds += chance.randrange(40)
        some = [
            {"id": chance.randrange(12), **event(seconds + chance.randint(-70, 70)), "gone": gone}
            for gone in (chance.random() < 0.2 for _ in range(5))
        ]
        events.put([{**row, "k": chance.choice("abc")} for row in some])
        run.processAllAvailable()
        events.snapshots.append(list(events.rows))
        batch = events.batch().withColumn("ts", F.timestamp_seconds("t"))
        now = f"timestamp_seconds({START.timestamp() + seconds})"
        wanted = bags(
            {
                name: batch.where(
                    condition.replace("current_timestamp()", now).replace("now()", now)
                ).select("id", "t", "k")
                for name, condition in CONDITIONS.items()
            }
        )
        found = bags(gs.read_views(session, str(tmp_path / "c"), CONDITIONS))
        for name in CONDITIONS:
            assert_same(found[name], wanted[name], f"seed {seed}, step {step}, {name}")
        if step == 4:
            run.stop()
            run = begin()
    run.stop()


@pytest.mark.rest
def test_what_begins_of_rows_that_only_come_only_comes(session: SparkSession) -> None:
    rows = session.readStream.format("rate").load()
    begun = gs.appends(rows, name="r").where("timestamp <= now()")
    assert "append-only" in begun.incremental().plan.splitlines()[0]


@pytest.mark.parametrize(
    "condition",
    first_of(
        [
            "ts = now()",
            "ts > now() - INTERVAL 1 MONTH",
            "ts > now() OR k = 'a'",
            "date(ts) = current_date()",
            "ts > date_trunc(k, now())",
        ]
    ),
)
def test_other_uses_of_the_clock_are_refused(
    session: SparkSession, tmp_path: Path, condition: str
) -> None:
    events = Table(session, tmp_path, "recent_events", "t long, k string")
    frame = events.source().withColumn("ts", F.timestamp_seconds("t"))
    with pytest.raises(NotIncremental):
        frame.where(condition).incremental()


@pytest.mark.rest
@pytest.mark.parametrize(
    "condition",
    [
        "CAST(ts AS TIMESTAMP_NTZ) > now() - INTERVAL 1 MINUTE",
        "to_timestamp(date(ts)) > now() - INTERVAL 1 MINUTE",
        "date(ts) > now() - INTERVAL 1 MINUTE",
        "timestamp(CAST(ts AS TIMESTAMP_NTZ)) > now() - INTERVAL 1 MINUTE",
        "coalesce(CAST(ts AS TIMESTAMP_NTZ), date'2999-01-01') > now() - INTERVAL 1 MINUTE",
        "CASE WHEN k = 'a' THEN timestamp'2999-01-01' ELSE ts END > now()",
        "now() <= if(k = 'a', timestamp'2999-01-01', timestamp'2000-01-01')",
        "ts = timestamp'2024-01-01' + INTERVAL 30 SECONDS AND ts > now()",
    ],
)
def test_times_of_any_type_and_literals_equal_batch(
    session: SparkSession, tmp_path: Path, condition: str
) -> None:
    run = Timed(session, tmp_path, f"SELECT t, k FROM recent_events WHERE {condition}")
    rows = [event(0), event(30, "b"), event(-90, "c"), event(86_400, "d")]
    old = event(-1_000_000, "old")
    batch = session.createDataFrame([tuple(row.values()) for row in rows], "t long, k string")
    batch = batch.withColumn("ts", F.timestamp_seconds("t"))
    for seconds in (0, 45, 100):
        now = f"timestamp_seconds({int(START.timestamp()) + seconds})"
        wanted = bag(batch.where(condition.replace("now()", now)).select("t", "k"))
        assert run.feed(seconds, *(rows if seconds == 0 else [old])) == wanted
    run.query.stop()


@pytest.mark.rest
def test_a_branch_with_a_literal_time_stays(session: SparkSession, tmp_path: Path) -> None:
    run = Timed(
        session,
        tmp_path,
        "SELECT k FROM (SELECT k, timestamp'2024-01-01 00:01:00Z' AS e FROM recent_events "
        "WHERE k = 'a' UNION ALL SELECT k, ts FROM recent_events WHERE k <> 'a') WHERE e > now()",
    )
    assert run.feed(0, event(-9), event(30, "b"), event(-9, "c")) == {("a",): 1, ("b",): 1}
    assert run.feed(40, event(-9)) == {("a",): 2}
    assert run.feed(60, event(90, "d")) == {("d",): 1}
    run.query.stop()


@pytest.mark.parametrize("table", first_of(["parquet", "values"]))
def test_a_clock_over_what_no_stream_brings_is_refused(
    session: SparkSession, tmp_path: Path, table: str
) -> None:
    events = Table(session, tmp_path, "recent_events", "t long, k string")
    events.source().createOrReplaceTempView("recent_events")
    until = session.sql("SELECT * FROM VALUES ('a', timestamp'2999-01-01') AS v (k, e)")
    if table == "parquet":
        until.write.parquet(str(tmp_path / "until"))
        until = session.read.parquet(str(tmp_path / "until"))
    until.createOrReplaceTempView("until")
    query = session.sql("SELECT t FROM recent_events JOIN until USING (k) WHERE e > now()")
    with pytest.raises(NotIncremental, match=r"read once, and cannot be taken back"):
        query.incremental()
