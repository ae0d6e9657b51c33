"""Append-only tables keep their rows for views that are added later, unless told not to."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.events import row
from incremental.harness import bag, newest_commits

COLUMNS = "id bigint, word string"
EVENTS = "ts timestamp, k string, v long"


def test_a_view_added_later_has_the_rows_of_before(session: SparkSession, tmp_path: Path) -> None:
    def begin(*views: str) -> tuple[gs.Pipeline, gs.Table]:
        p = gs.pipeline(session, str(tmp_path / "c"))
        words = p.table("words", COLUMNS)
        assert words.df is not None
        words.df.createOrReplaceTempView("words")
        for name in views:
            p.view(name, session.sql(QUERIES[name]))
        return p, words

    def check(run: gs.IncrementalQuery, *names: str) -> None:
        run.processAllAvailable()
        written.createOrReplaceTempView("words")
        for name in names:
            assert bag(run.view(name)) == bag(session.sql(QUERIES[name])), name

    written = session.createDataFrame([(1, "a"), (2, "b"), (2, "b")], COLUMNS)
    p, words = begin("ids")
    words.insert(written)
    run = p.start()
    check(run, "ids")
    assert words.df is not None
    words.df.createOrReplaceTempView("words")
    run.addView("counts", session.sql(QUERIES["counts"]))
    check(run, "ids", "counts")
    more = session.createDataFrame([(3, "a"), (1, None)], COLUMNS)
    words.insert(more)
    written = written.union(more)
    check(run, "ids", "counts")
    run.stop()

    p, words = begin("pairs", "counts", "last")
    p.drop("ids")
    words.insert(more)
    written = written.union(more)
    run = p.start()
    check(run, "pairs", "counts", "last")
    run.stop()

    p, words = begin("last")  # of which no view reads the words
    p.drop("pairs").drop("counts")
    p.view("two", session.sql("select 2 n"))
    p.drop("last")
    run = p.start()
    words.insert(more)
    written = written.union(more)
    run.processAllAvailable()
    assert words.df is not None
    words.df.createOrReplaceTempView("words")
    run.addView("ids", session.sql(QUERIES["ids"]))
    check(run, "ids")
    run.stop()


QUERIES = {
    "ids": "select id from words",
    "counts": "select word, count(*) n from words group by word",
    "pairs": "select a.id x, b.id y from words a join words b on a.word = b.word and a.id <> b.id",
    "last": "select * from words order by id desc, word limit 2",
}


@pytest.mark.rest
def test_a_late_view_of_a_table_with_a_watermark_closes_all_windows(
    session: SparkSession, tmp_path: Path
) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    events = p.table("events", EVENTS)
    assert events.df is not None
    frame = events.df.withWatermark("ts", "10 seconds")
    frame.createOrReplaceTempView("events")
    query = "select window.start s, sum(v) v from events group by window(ts, '1 minute')"
    run = p.view("all", frame).view("closed", session.sql(query), emit="window_close").start()

    def put(*rows: tuple[int, int]) -> None:
        lines = [str(row(second, "a", v)).replace("'", '"') for second, v in rows]
        texts = session.createDataFrame([(line,) for line in lines], "t string")
        events.insert(texts.selectExpr(f"from_json(t, '{EVENTS}') r").select("r.*"))
        run.processAllAvailable()

    put((0, 1), (70, 2))
    put((130, 4), (5, 8))  # the second is late
    run.addView("late_one", session.sql(query))
    assert sum(r.v for r in run.view("late_one").collect()) == 7
    run.stop()
    other = query.replace("sum(v) v", "sum(v) v, count(*) n")
    p.view("closed_too", session.sql(other), emit="window_close")
    run = p.start()
    put((200, 16))
    put((201, 32))
    for name in ("closed", "closed_too"):
        assert sorted(r.v for r in run.view(name).collect()) == [1, 2, 4]
    with pytest.raises(gs.DefinitionChanged, match="source events has been read"):
        run.addView("missed", gs.late_rows(frame))
    run.stop()


@pytest.mark.rest
def test_a_table_need_not_keep_its_rows(session: SparkSession, tmp_path: Path) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    log = p.table("log", COLUMNS, keep=False)
    log.insert(session.createDataFrame([(1, "a")], COLUMNS))
    assert log.df is not None
    run = p.view("ids", log.df.select("id")).start()
    run.processAllAvailable()
    with pytest.raises(gs.DefinitionChanged, match="keep=False"):
        run.addView("words", log.df.select("word"))
    run.stop()
    states = newest_commits(tmp_path / "c")
    assert states and not [state for state in states if state.startswith("source-")]
    again = gs.pipeline(session, str(tmp_path / "c"))
    again.table("log", COLUMNS)  # as it is
    with pytest.raises(gs.ConfigurationError, match="keep = True"):
        again.table("log", COLUMNS, keep=True)
    with pytest.raises(gs.SourceError, match="a table with a key keeps its rows"):
        again.table("keyed", COLUMNS, key="id", keep=False)
