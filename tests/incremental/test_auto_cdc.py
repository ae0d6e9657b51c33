"""AUTO CDC: tables kept by change events that come late, twice and in any order."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from incremental import change_feeds as feeds
from incremental.harness import Table
from incremental.undoing import held

FEED = {
    "keys": ["id", "part"],
    "sequence_by": "at",
    "apply_as_deletes": "op = 'D'",
    "except_column_list": ["op", "at"],
}
TRUNCATES = {"apply_as_truncates": "op = 'T'"}
"""By the view's name: what it is told, and what the oracle is."""


def tables(feed: DataFrame) -> dict[str, tuple[DataFrame, Any]]:
    """By the view's name, its query, and what gives its rows out of all events so far."""
    plain = feed.where("op IS DISTINCT FROM 'T'")
    two: dict[str, Any] = {**FEED, "stored_as_scd_type": 2}
    names = {"track_history_column_list": ["name"]}
    return {
        "current": (gs.auto_cdc(plain, **FEED), feeds.current),
        "truncated": (
            gs.auto_cdc(feed, **FEED, **TRUNCATES),
            lambda e: feeds.current(e, truncates=True),
        ),
        "merged": (
            gs.auto_cdc(plain, **FEED, ignore_null_updates=True),
            lambda e: feeds.current(e, feeds.VALUES),
        ),
        "merged_in_part": (
            gs.auto_cdc(feed, **FEED, **TRUNCATES, ignore_null_updates_column_list=["place", "n"]),
            lambda e: feeds.current(e, ("place", "n"), truncates=True),
        ),
        "history": (gs.auto_cdc(plain, **two), feeds.versions),
        "history_of_names": (
            gs.auto_cdc(plain, **two, **names),
            lambda e: feeds.versions(e, tracked=["name"]),
        ),
        "merged_history": (
            gs.auto_cdc(plain, **two, **names, ignore_null_updates=True),
            lambda e: feeds.versions(e, feeds.VALUES, ["name"]),
        ),
    }


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.rest)])
def test_tables_equal_their_events_applied_in_order(
    session: SparkSession, tmp_path: Path, seed: int
) -> None:
    random = Random(seed)
    feed = Table(session, tmp_path, "feed", feeds.SCHEMA)
    location = str(tmp_path / "c")

    def start() -> Any:
        p = gs.pipeline(session, location, partitions=2)
        views = tables(feed.source())
        for name, (frame, _) in views.items():
            p.view(name, frame)
        return p.start(), {name: oracle for name, (_, oracle) in views.items()}

    run, oracles = start()
    for epoch in range(6):
        if epoch in (2, 4):
            run.stop()
            run, oracles = start()
        feed.put(feeds.random_events(random, random.choice([1, 6, 25]), 30))
        run.processAllAvailable()
        feed.snapshots.append(list(feed.rows))
        events = feeds.with_ties(feed.batch())
        views = gs.read_views(session, location, oracles)
        for name, oracle in oracles.items():
            assert feeds.shown(views[name]) == oracle(events), (seed, epoch, name)
    run.stop()


def tuples(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in frame.collect())


@pytest.mark.rest
def test_an_event_that_comes_after_a_later_delete_changes_nothing(
    session: SparkSession, tmp_path: Path
) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    feed = p.table("feed", "id int, v string, at int, gone boolean")
    rules: dict[str, Any] = {
        "keys": "id", "sequence_by": "at", "apply_as_deletes": "gone",
        "except_column_list": ["gone", "at"],
    }  # fmt: skip
    p.view("now", gs.auto_cdc(feed.df, **rules))
    p.view("ever", gs.auto_cdc(feed.df, **rules, stored_as_scd_type="2"))
    run = p.start()
    feed.insert([(1, None, 5, True), (2, "a", 1, False)])
    run.processAllAvailable()
    feed.insert([(1, "late", 4, False), (2, "b", 1, True), (2, "a", 0, None)])
    run.processAllAvailable()
    assert tuples(run.view("now")) == []
    assert tuples(run.view("ever")) == [(1, "late", 4, 5), (2, "a", 0, 1)]
    feed.insert([(1, "new", 6, False)])
    run.processAllAvailable()
    assert tuples(run.view("now")) == [(1, "new")]
    run.stop()


def started(session: SparkSession, location: Path) -> tuple[Any, Any]:
    """A table of type 1, of events that come an hour late at most."""
    p = gs.pipeline(session, str(location), partitions=2)
    feed = p.table("feed", "id int, v int, at timestamp, gone boolean")
    events = feed.df.withWatermark("at", "1 hour")
    rules: dict[str, Any] = {"apply_as_deletes": "gone", "except_column_list": ["gone", "at"]}
    p.view("now", gs.auto_cdc(events, "id", "at", **rules))
    truncates = gs.auto_cdc(events, "id", "at", apply_as_truncates="v = -1", **rules)
    p.view("truncated", truncates)
    p.view("by_two", gs.auto_cdc(events, "id", "struct(at, v)", **rules))
    merges: dict[str, Any] = {**rules, "ignore_null_updates": True}
    p.view("merged", gs.auto_cdc(events, "id", "at", **merges))
    p.view("merged_by_two", gs.auto_cdc(events, "id", "struct(at, v)", **merges))
    return p.start(), feed


@pytest.mark.rest
@pytest.mark.parametrize("seed", [1, 2])
def test_a_delete_is_forgotten_once_the_watermark_has_passed_it(
    session: SparkSession, tmp_path: Path, seed: int
) -> None:
    random = Random(seed)
    run, feed = started(session, tmp_path / "c")
    hour = timedelta(hours=1)
    start = datetime(2026, 1, 1)
    newest: dict[int, tuple[Any, ...]] = {}
    newest_by_two: dict[int, tuple[Any, ...]] = {}
    mark, seen, late = datetime.min, datetime.min, 0
    for epoch in range(6):
        if epoch == 3:
            run.stop()
            run, feed = started(session, tmp_path / "c")
        clock = start + epoch * hour
        events = [
            (key, epoch, clock - random.randrange(220) * timedelta(minutes=1), key % 3 > 0)
            for key in [random.randrange(1000 * epoch, 1000 * epoch + 60) for _ in range(40)]
            + random.sample(sorted(newest), min(10, len(newest)))
        ]
        feed.insert(events)
        run.processAllAvailable()
        on_time = [event for event in events if event[2] >= mark]
        late += len(events) - len(on_time)
        for event in on_time:
            for found, places in ((newest, (2, 3)), (newest_by_two, (2, 1, 3))):
                both = [found.get(event[0], event), event]
                found[event[0]] = max(both, key=lambda e: [e[i] for i in places])
        seen = max([seen, *(event[2] for event in on_time)])
        assert run.lastProgress["lateRows"] == len(events) - len(on_time), (seed, epoch)
        shown = sorted((key, e[1]) for key, e in newest.items() if not e[3])
        assert sorted(key for key, _ in tuples(run.view("now"))) == [key for key, _ in shown]
        assert tuples(run.view("truncated")) == tuples(run.view("now"))
        assert [row.id for row in run.view("merged").orderBy("id").collect()] == [
            key for key, _ in shown
        ]
        shown_by_two = sorted((key, e[1]) for key, e in newest_by_two.items() if not e[3])
        assert tuples(run.view("by_two")) == tuples(run.view("merged_by_two")) == shown_by_two
        kept = {
            len(rows) + sum(e[3] and e[2] >= mark for e in found.values())
            for found, rows in ((newest, shown), (newest_by_two, shown_by_two))
        }
        states = [
            (place[1], sum(counts.values()))
            for place, counts in held(tmp_path / "c").items()
            if place[1] in ("first", "groups")
        ]
        assert {count for _, count in states} == kept, (seed, epoch, states)
        assert {table for table, _ in states} == {"first", "groups"}
        mark = max(mark, seen - hour)
    assert late > 0
    run.stop()


@pytest.mark.rest
def test_a_sequence_of_several_columns_and_columns_without_an_order(
    session: SparkSession, tmp_path: Path
) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    feed = p.table("feed", "id int, m map<string, int>, l array<int>, day date, n int")
    order = {"keys": ["id"], "sequence_by": "struct(day, n)"}
    p.view("now", gs.auto_cdc(feed.df, **order))
    p.view(
        "ever",
        gs.auto_cdc(
            feed.df, **order, column_list=["id", "l", "m"], stored_as_scd_type=2,
            track_history_except_column_list=["m"],
        ),
    )  # fmt: skip
    run = p.start()
    rows = session.sql(
        """VALUES (1, map('a', 1), array(1), DATE'2026-01-02', 1),
                  (1, map('a', 2), array(2), DATE'2026-01-01', 9),
                  (1, map('a', 3), array(1), DATE'2026-01-02', 2)"""
    )
    feed.insert(rows.toDF("id", "m", "l", "day", "n"))
    run.processAllAvailable()
    assert [(r.m, r.n) for r in run.view("now").collect()] == [({"a": 3}, 2)]
    ever = run.view("ever").orderBy("__START_AT").collect()
    spans = [(r.m, r.l, r["__START_AT"].n, r["__END_AT"] and r["__END_AT"].n) for r in ever]
    assert spans == [({"a": 2}, [2], 9, 1), ({"a": 3}, [1], 1, None)]
    run.stop()


@pytest.mark.parametrize("row", [(1, "a", None, False), (None, "a", 1, False)])
@pytest.mark.rest
def test_an_event_without_a_sequence_or_a_key_is_a_row_that_fails(
    session: SparkSession, tmp_path: Path, row: tuple[Any, ...]
) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    feed = p.table("feed", "id int, v string, at int, gone boolean")
    table = gs.auto_cdc(feed.df, "id", "at", except_column_list=["gone", "at"])
    p.view("strict", table)
    run = p.start()
    feed.insert([row])
    told = "keys is null" if row[0] is None else r"sequence_by \(at\) is null"
    with pytest.raises(gs.RowFailed, match=rf"{told}.*id={'null' if row[0] is None else 1}"):
        run.processAllAvailable()
    p = gs.pipeline(session, str(tmp_path / "d"))
    feed = p.table("feed", "id int, v string, at int, gone boolean")
    rules: dict[str, Any] = {"keys": "id", "sequence_by": "at", "column_list": "id"}
    p.view("kind", gs.auto_cdc(feed.df, **rules), errors="divert")
    truncated = gs.auto_cdc(feed.df, **rules, apply_as_truncates="v = 'T'")
    p.view("kinder", truncated, errors="divert")
    run = p.start()
    feed.insert([row, (2, "b", 1, False)])
    run.processAllAvailable()
    for view in ("kind", "kinder"):
        assert tuples(run.view(view)) == [(2,)]
        assert run.view(f"{view}_diverted").count() == 1
    run.stop()


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no key": ({"keys": []}, "keys must name at least one column"),
    "no such key": ({"keys": ["no"]}, r"keys: there is no column 'no'; the columns are id, m"),
    "key that is an expression": ({"keys": [1]}, "keys must be names of columns, got 1"),
    "key that is a map": ({"keys": ["m"]}, "keys: column m"),
    "key that the table lacks": ({"column_list": ["at"]}, "the table lacks id, which keys names"),
    "sequence without an order": (
        {"sequence_by": "m"},
        "sequence_by=m has the type map<string,int>: values of the type map have no order",
    ),
    "sequence of a struct without an order": ({"sequence_by": "struct(at, m)"}, "have no order"),
    "no such sequence": ({"sequence_by": "no"}, "sequence_by='no' does not fit the events"),
    "delete that is not a condition": ({"apply_as_deletes": "at"}, "must be boolean, it is int"),
    "both lists": (
        {"column_list": ["id"], "except_column_list": ["at"]},
        "give column_list or except_column_list, not both",
    ),
    "both histories": (
        {"track_history_column_list": ["v"], "track_history_except_column_list": ["m"],
         "stored_as_scd_type": 2},
        "give track_history_column_list or track_history_except_column_list, not both",
    ),
    "type": ({"stored_as_scd_type": 3}, "stored_as_scd_type must be 1 or 2, got 3"),
    "history of type 1": ({"track_history_column_list": ["v"]}, "needs stored_as_scd_type=2"),
    "truncates of type 2": (
        {"apply_as_truncates": "gone", "stored_as_scd_type": 2},
        "needs stored_as_scd_type=1",
    ),
    "history of a key": (
        {"track_history_column_list": ["id"], "stored_as_scd_type": 2},
        "id cannot be among m, v, at, gone",
    ),
    "history of a map": (
        {"stored_as_scd_type": 2},
        "tracked column m has the type map<string,int>.*track_history_except_column_list",
    ),
    "both nulls": (
        {"ignore_null_updates_column_list": ["v"], "ignore_null_updates_except_column_list": ["m"]},
        "give ignore_null_updates_column_list or ignore_null_updates_except_column_list, not both",
    ),
    "unreadable sequence": ({"sequence_by": "at +"}, "sequence_by='at .' does not fit the events"),
    "merged map": ({"ignore_null_updates": True}, "column m, with ignore_null_updates, has"),
    "name of a query": ({"name": "feed"}, "name='feed' is for streams"),
}  # fmt: skip


@pytest.mark.rest
def test_what_does_not_fit_the_events_is_refused_in_one_line(
    session: SparkSession, tmp_path: Path
) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    columns = "id int, m map<string, int>, v string, at int, gone boolean"
    feed = p.table("feed", columns).df
    good: dict[str, Any] = {"keys": ["id"], "sequence_by": "at"}
    for what, (given, told) in WRONG.items():
        with pytest.raises(gs.SourceError, match=told) as failure:
            gs.auto_cdc(feed, **{**good, **given})
        assert "\n" not in str(failure.value), what
    reserved = feed.withColumnRenamed("v", "__START_AT")
    with pytest.raises(gs.SourceError, match="column __START_AT of the events has a name"):
        gs.auto_cdc(reserved, **good, stored_as_scd_type=2)
    keyed = p.table("keyed", columns, key="id").df
    with pytest.raises(gs.SourceError, match="rows of keyed replace each other"):
        gs.auto_cdc(keyed, **good)
    with pytest.raises(gs.SourceError, match="needs a streaming DataFrame"):
        gs.auto_cdc(session.range(1), "id", "id")
    with pytest.raises(gs.SourceError, match="needs a DataFrame of events, got str"):
        gs.auto_cdc("feed", "id", "at")  # type: ignore[arg-type]
