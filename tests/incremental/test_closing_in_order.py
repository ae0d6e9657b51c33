"""Rows that are final by the time that they are ordered by, or by a time that nobody shows."""

from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.events import SCHEMA, marked, row
from incremental.harness import Bag, Row, Table, assert_same, bag, one_barrier

pytestmark = pytest.mark.rest

CLOSING = {
    "plain": "select k, v from events where v > 0",
    "numbered": "select k, v, row_number() over (partition by k order by ts, v) n from events",
    "ranked": "select ts, rank() over (order by ts) n from events",
    "before": "select k, v, lag(v) over (partition by k order by ts, v) w from events",
    "so_far": "select ts, k, sum(v) over (partition by k order by ts) s from events",
    "around": """select ts, k, sum(v) over (partition by k order by ts range between
                 interval 10 seconds preceding and interval 10 seconds following) s from events""",
    "oldest": "select k, v from events order by ts, k, v limit 5",
    "earliest": """select k, v from (select *, row_number() over (partition by k order by ts, v) n
                   from events) where n = 1""",
    "starts": """select s, count(*) n from (select window(ts, '20 seconds').start s from events)
                 group by s""",
    "sliding": """select s, sum(v) n from (select window(ts, '20 seconds', '10 seconds').start s, v
                  from events) group by s""",
    "ends": """select e, max(v) n from (select window(ts, '20 seconds', '10 seconds').end e, v
               from events) group by e""",
    "and_constants": """select ts, v from events
                        union all select timestamp'2024-01-01 00:00:10', 7""",
}
NOT = {
    "select ts, lead(v) over (partition by k order by ts) n from events": "lost at: Window",
    "select ts, row_number() over (order by ts desc) n from events": "lost at: Window",
    "select ts, ntile(2) over (order by ts) n from events": "lost at: Window",
    "select k, v from events order by ts desc limit 3": "lost at: Top",
    "select k, count(*) n from events group by k": "lost at: Aggregate by",
    "select window(ts - interval 1 hour, '1 minute') w, sum(v) n from events group by w": "lost at",
}
STEPS = [
    [(3, "a", 1), (7, "b", 2), (7, "a", 3)],
    [(25, "a", 1), (14, "b", 0), (2, "a", 9), (None, "a", 5)],
    [(48, "b", 4), (26, "b", 4), (None, "b", 5)],
    [(31, "c", 2), (70, "a", 2)],
    [(60, "a", 6), (1, "a", 8)],
]
LATE = {(31, "c", 2), (1, "a", 8)}
END = 1000


def test_rows_close_in_order_and_equal_batch_over_the_final_ones(
    session: SparkSession, tmp_path: Path
) -> None:
    events = Table(session, tmp_path, "events", SCHEMA)

    def begin() -> gs.IncrementalQuery:
        gs.appends(marked(events), name="events").createOrReplaceTempView("events")
        p = gs.pipeline(session, str(tmp_path / "c"))
        for name, text in CLOSING.items():
            p.view(name, session.sql(text), emit="window_close")
        return p.start()

    run = begin()
    seen: dict[str, Bag] = {name: Counter() for name in CLOSING}
    kept: list[Row] = []
    for number, step in enumerate([*STEPS, [(END, "z", 0)], [(END + 1, "z", 0)]]):
        rows = [{**row(t or 0, k, v), **({} if t else {"ts": None})} for t, k, v in step]
        with one_barrier(run):
            events.put(rows)
        if number < len(STEPS):
            kept += [r for r, what in zip(rows, step, strict=True) if what not in LATE and r["ts"]]
        run.processAllAvailable()
        if number == 2:
            run.stop()
            run = begin()
        for name in CLOSING:
            now = bag(run.view(name))
            assert not seen[name] - now, f"{name} took rows back"
            seen[name] = now
    run.stop()
    events.snapshots.append(kept)
    events.batch().createOrReplaceTempView("events")
    for name, text in CLOSING.items():
        assert_same(seen[name], bag(session.sql(text)), name)


@pytest.mark.parametrize("query", NOT)
def test_what_later_rows_may_change_is_refused_and_named(
    session: SparkSession, tmp_path: Path, query: str
) -> None:
    events = Table(session, tmp_path, "events", SCHEMA)
    gs.appends(marked(events), name="events").createOrReplaceTempView("events")
    with pytest.raises(gs.NotIncremental, match=NOT[query]):
        session.sql(query).incremental("window_close")


def test_a_view_on_a_view_sees_the_watermark_below(session: SparkSession, tmp_path: Path) -> None:
    events = Table(session, tmp_path, "events", SCHEMA)
    source = gs.appends(marked(events), name="events")
    p = gs.pipeline(session, str(tmp_path / "c")).view("all", source.select("ts", "k"))
    p.view("users", p.read("all").groupBy("k").count())
    p.view("minutes", p.read("all").groupBy("ts").count(), emit="window_close")
    p.read("all").createOrReplaceTempView("l")
    near = "l.ts >= r.ts and l.ts < r.ts + interval 30 seconds"
    pairs = session.sql(f"select l.k from l join l r on {near}")
    p.view("pairs", pairs, emit="window_close")
    assert "apart" in p.program.explained(p.program.catalog, p.program.planned())
    with pytest.raises(gs.NotIncremental, match=r"watermark of events .* lost at: view users, Agg"):
        p.view("no", p.read("users"), emit="window_close")
    with pytest.raises(gs.NotIncremental, match="view minutes gives its rows when the watermark"):
        p.view("no", p.read("minutes"), emit="window_close")
    run = p.start()
    events.put([row(1), row(1), row(40)])
    run.processAllAvailable()
    events.put([row(41)])
    run.processAllAvailable()
    assert [n for _, n in bag(run.view("minutes"))] == [2]
    assert bag(run.view("pairs")).total() == 4
    run.stop()
