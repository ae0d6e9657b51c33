"""Views that are dropped, come back, or come in another order, and what their states then hold."""

import gc
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from py4j.java_gateway import JavaObject
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell.runtime.run import Run
from incremental.harness import Bags, Table, bags

ROWS = "id bigint, v bigint"
LEFT, RIGHT = "id bigint, k string, a bigint", "rid bigint, k2 string, b bigint"
JOINED = "from l join r on upper(l.k) = r.k2"
QUERIES = {"few": f"select l.a, r.b {JOINED}", "all": f"select l.k, l.a, r.b, r.k2 {JOINED}"}


def frame(session: SparkSession, rows: list[tuple[Any, ...]], schema: str = ROWS) -> DataFrame:
    return session.createDataFrame(rows, schema)


def begun(
    session: SparkSession, folder: Path, rows: list[tuple[Any, ...]]
) -> tuple[gs.Table, gs.IncrementalQuery]:
    """A table with these rows, and a view ``all`` of it that is kept."""
    p = gs.pipeline(session, str(folder / "c"))
    table = p.table("t", ROWS, key="id")
    p.view("all", table.df)
    table.insert(frame(session, rows))
    run = p.start()
    run.processAllAvailable()
    return table, run


def upserted(run: gs.IncrementalQuery, table: gs.Table, rows: DataFrame) -> None:
    table.upsert(rows)
    run.processAllAvailable()


def shown(run: gs.IncrementalQuery, *views: str) -> Bags:
    return bags({view: run.view(view) for view in views})


@pytest.mark.rest
@pytest.mark.parametrize(
    "names",
    [("all", "few"), ("few",), ("all",)],
)
def test_views_find_their_states_whatever_others_there_are(
    session: SparkSession, tmp_path: Path, names: tuple[str, ...]
) -> None:
    """Both have one join, of which they need other columns."""
    rows = {
        LEFT: [(n, "abc"[n % 3], 10 * n) for n in range(6)],
        RIGHT: [(n, "ABC"[n], n) for n in range(3)],
    }
    more = {LEFT: [(10, "b", 7)], RIGHT: [(20, "B", 9)]}

    def step(views: tuple[str, ...], new: Mapping[str, list[tuple[Any, ...]]]) -> Bags:
        p = gs.pipeline(session, str(tmp_path / "c"))
        for view in ("few", "all"):
            if view not in views:
                p.drop(view)
        tables = {
            LEFT: p.table("l", LEFT, key="id"),
            RIGHT: p.table("r", RIGHT, key="rid"),
        }
        for schema, table in tables.items():
            table.df.createOrReplaceTempView("l" if schema == LEFT else "r")
            table.insert(frame(session, new[schema], schema))
        for view in views:
            p.view(view, session.sql(QUERIES[view]))
        run = p.start()
        run.processAllAvailable()
        found = shown(run, *views)
        run.stop()
        return found

    step(("few", "all"), rows)
    found = step(names, more)
    for name, schema in (("l", LEFT), ("r", RIGHT)):
        frame(session, rows[schema] + more[schema], schema).createOrReplaceTempView(name)
    assert found == bags({view: session.sql(QUERIES[view]) for view in names})


def test_a_view_that_was_dropped_comes_back_and_stays(
    session: SparkSession, tmp_path: Path
) -> None:
    """Epochs from before are still readable when files are retired."""
    p = gs.pipeline(session, str(tmp_path / "c"), retainEpochs=3, retireEvery=1)
    table = p.table("t", ROWS, key="id")
    some = table.df.where("v >= 0")
    p.view("all", table.df)
    p.view("some", some)
    run = p.start()
    for n in range(4):
        upserted(run, table, frame(session, [(i, n) for i in range(6)]))
    run.dropView("some")
    upserted(run, table, frame(session, [(9, 9)]))
    run.addView("some", some)
    for n in range(20, 24):
        upserted(run, table, frame(session, [(i, n) for i in range(6)]))
        found = shown(run, "all", "some")
        assert found["some"] == found["all"]
    run.stop()
    run = p.start()
    upserted(run, table, frame(session, [(1, 77)]))
    found = shown(run, "all", "some")
    assert found["some"] == found["all"]
    run.stop()


@pytest.mark.rest
def test_a_table_is_kept_though_no_view_reads_it(session: SparkSession, tmp_path: Path) -> None:
    def pipeline() -> tuple[gs.Pipeline, gs.Table, gs.Table]:
        p = gs.pipeline(session, str(tmp_path / "c"))
        return p, p.table("t", ROWS, key="id"), p.table("o", ROWS, key="id")

    p, table, other = pipeline()
    p.view("first", table.df)
    p.view("others", other.df)
    table.insert(frame(session, [(1, 1), (2, 2)]))
    run = p.start()
    run.processAllAvailable()
    run.addView("second", table.df.where("v > 1"))
    run.dropView("first")
    assert set(shown(run, "second")["second"]) == {(2, 2)}
    run.dropView("second")
    upserted(run, table, frame(session, [(2, 0), (3, 3)]))
    run.addView("third", table.df)
    assert set(shown(run, "third")["third"]) == {(1, 1), (2, 0), (3, 3)}
    run.dropView("third")
    run.stop()

    p, table, other = pipeline()
    p.view("others", other.df)
    run = p.start()
    upserted(run, table, frame(session, [(3, 4)]))
    run.addView("fourth", table.df.groupBy().sum("v"))
    assert set(shown(run, "fourth")["fourth"]) == {(5,)}
    upserted(run, table, frame(session, [(1, 2)]))
    assert set(shown(run, "fourth")["fourth"]) == {(6,)}
    run.stop()


@pytest.mark.rest
def test_a_view_over_a_table_whose_rows_were_given_up_is_refused(
    session: SparkSession, tmp_path: Path
) -> None:
    """It was not among the tables of a start, when no view read it any more."""
    p = gs.pipeline(session, str(tmp_path / "c"))
    table = p.table("t", ROWS, key="id")
    p.view("first", table.df)
    p.view("others", p.table("o", ROWS, key="id").df)
    table.insert(frame(session, [(1, 1)]))
    p.start(availableNow=True).awaitTermination()
    p = gs.pipeline(session, str(tmp_path / "c")).drop("first")
    other = p.table("o", ROWS, key="id")
    p.view("others", other.df)
    run = p.start()
    table = p.table("t", ROWS, key="id")
    with pytest.raises(gs.DefinitionChanged, match="rows of t were given up"):
        run.addView("third", table.df)
    upserted(run, other, frame(session, [(5, 5)]))
    with pytest.raises(gs.DefinitionChanged, match="rows of t were given up"):
        run.addView("third", table.df)
    assert set(shown(run, "others")["others"]) == {(5, 5)}
    run.stop()


@pytest.mark.rest
def test_a_stream_that_comes_back_under_its_name_is_refused(
    session: SparkSession, tmp_path: Path
) -> None:
    """Spark remembers by the name which files it has read."""
    stream, other = (Table(session, tmp_path, name, ROWS) for name in ("s", "o"))
    p = gs.pipeline(session, str(tmp_path / "c"))
    p.view("first", stream.source())
    p.view("others", other.source())
    stream.put([{"id": 1, "v": 1}])
    run = p.start()
    run.processAllAvailable()
    run.dropView("first")
    other.put([{"id": 1, "v": 1}])
    run.processAllAvailable()
    with pytest.raises(gs.DefinitionChanged, match=r"rows of s were given up.*another name"):
        run.addView("again", stream.source())
    run.addView("again", gs.appends(stream.stream(), name="s_again"))
    run.processAllAvailable()
    assert set(shown(run, "again")["again"]) == {(1, 1)}
    run.stop()


@pytest.mark.rest
def test_a_view_does_not_take_part_in_what_another_remembers(
    session: SparkSession, tmp_path: Path
) -> None:
    """Filled as of today it would have other rows than those that are taken back later."""
    p = gs.pipeline(session, str(tmp_path / "c"))
    carts = p.table("carts", "cart bigint, item string", key="cart")
    prices = p.table("prices", "item string, price bigint", key="item")
    charged = gs.temporal_join(carts.df, prices, "item")
    p.view("charged", charged)
    prices.insert(frame(session, [("x", 10)], "item string, price bigint"))
    carts.insert(frame(session, [(1, "x")], "cart bigint, item string"))
    run = p.start()
    run.processAllAvailable()
    total = F.sum("price").alias("total")
    with pytest.raises(gs.DefinitionChanged, match="temporal join, whose rows depend on when"):
        run.addView("again", charged)
    run.addView("totals", p.read("charged").groupBy("item").agg(total))
    upserted(run, prices, frame(session, [("x", 20)], "item string, price bigint"))
    assert set(shown(run, "totals")["totals"]) == {("x", 10)}
    run.stop()


@pytest.mark.rest
def test_a_view_and_a_table_of_one_name_are_told_apart(
    session: SparkSession, tmp_path: Path
) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    table = p.table("t", ROWS, key="id")
    p.view("t", table.df.selectExpr("id", "v * 10 AS v").where("id < 3"))
    table.insert(frame(session, [(1, 1), (2, 2), (3, 3)]))
    run = p.start()
    run.processAllAvailable()
    run.addView("of_view", p.read("t").select("id", "v"))
    run.addView("of_table", table.df.select("id", "v"))
    found = shown(run, "of_view", "of_table")
    assert set(found["of_view"]) == {(1, 10), (2, 20)}
    assert set(found["of_table"]) == {(1, 1), (2, 2), (3, 3)}
    run.stop()


@pytest.mark.rest
def test_a_view_that_cannot_be_filled_leaves_the_others_running(
    session: SparkSession, tmp_path: Path
) -> None:
    table, run = begun(session, tmp_path, [(1, 1), (2, 0)])
    with pytest.raises(gs.RowFailed, match="view shares"):
        run.addView("shares", table.df.selectExpr("id", "6 div v share"))
    assert run.isActive and run.views == ("all",)
    upserted(run, table, frame(session, [(2, 2)]))
    assert set(shown(run, "all")["all"]) == {(1, 1), (2, 2)}
    run.addView("shares", table.df.selectExpr("id", "6 div v share"))
    assert set(shown(run, "shares")["shares"]) == {(1, 6), (2, 3)}
    run.stop()


@pytest.mark.rest
def test_waiting_for_the_end_outlasts_views_that_come_and_go(
    session: SparkSession, tmp_path: Path
) -> None:
    table, run = begun(session, tmp_path, [(1, 1)])
    waiting = threading.Thread(target=run.awaitTermination)
    waiting.start()
    run.addView("some", table.df.where("v > 0"))
    run.dropView("some")
    waiting.join(1)
    assert waiting.is_alive() and run.isActive
    run.stop()
    waiting.join(30)
    assert not waiting.is_alive()


@pytest.mark.rest
def test_a_view_that_cannot_go_stays_and_keeps_up(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, run = begun(session, tmp_path, [(1, 1)])
    run.addView("some", table.df.where("v > 0"))
    failing(monkeypatch, 1)
    with pytest.raises(OSError, match="no start"):
        run.dropView("some")
    assert run.isActive and set(run.views) == {"all", "some"}
    upserted(run, table, frame(session, [(2, 2)]))
    assert set(shown(run, "some")["some"]) == {(1, 1), (2, 2)}
    run.dropView("some")
    assert run.views == ("all",)
    run.stop()


@pytest.mark.rest
@pytest.mark.parametrize("change", ["add", "drop"])
def test_a_run_that_cannot_go_on_says_so(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    table, run = begun(session, tmp_path, [(1, 1)])
    if change == "drop":
        run.addView("some", table.df.where("v > 0"))
    failing(monkeypatch, 2)
    said = "cannot be started again: OSError: no start"
    with pytest.raises(gs.PipelineFailed, match=said):
        run.dropView("some") if change == "drop" else run.addView("some", table.df.where("v > 0"))
    for call in (run.processAllAvailable, run.awaitTermination):
        with pytest.raises(gs.PipelineFailed, match=said):
            call()
    assert said in str(run.exception())
    table.insert(frame(session, [(2, 2)]))
    run.addView("more", table.df.where("v > 1"))
    run.processAllAvailable()
    assert run.exception() is None
    assert shown(run, "all", "more") == {"all": {(1, 1): 1, (2, 2): 1}, "more": {(2, 2): 1}}
    run.stop()
    for change in (lambda: run.addView("late", table.df), lambda: run.dropView("more")):
        with pytest.raises(gs.IllegalState, match="was stopped, and no change starts it again"):
            change()
    assert not run.isActive


def failing(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """The next starts fail as late as they can."""
    start, failures = Run.start, iter(range(times))

    def stream(*args: Any) -> Any:
        if next(failures, None) is not None:
            raise OSError("no start")
        return start(*args)

    monkeypatch.setattr(Run, "start", stream)


@pytest.mark.rest
def test_what_is_waited_for_is_there_though_views_come(
    session: SparkSession, tmp_path: Path
) -> None:
    table, run = begun(session, tmp_path, [(1, 1)])
    adding = threading.Thread(target=run.addView, args=("some", table.df.where("v > 0")))
    adding.start()
    number = 1
    while adding.is_alive():
        number += 1
        upserted(run, table, frame(session, [(number, number)]))
        assert run.view("all").count() == number
    run.stop()


@pytest.mark.rest
def test_a_run_that_was_stopped_takes_no_location_from_the_next(
    session: SparkSession, tmp_path: Path
) -> None:
    own, run = begun(session, tmp_path, [(1, 1)])
    run.stop()
    table, other = begun(session, tmp_path, [(2, 2)])
    with pytest.raises(gs.IllegalState, match="was stopped"):
        run.addView("some", own.df.where("v > 0"))
    assert other.isActive
    upserted(other, table, frame(session, [(3, 3)]))
    assert other.view("all").count() == 3
    other.stop()


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Python's garbage collector runs when it is called, and not by itself."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.rest
def test_a_query_that_was_stopped_for_a_change_is_let_go_in_the_jvm(
    session: SparkSession, tmp_path: Path, no_collector: None
) -> None:
    others = queries_held()
    table, run = begun(session, tmp_path, [(1, 1)])
    for _ in range(3):
        run.addView("some", table.df.where("v > 0"))
        run.processAllAvailable()
        run.dropView("some")
        run.processAllAvailable()
    assert len(queries_held() - others) <= 1
    run.stop()
    del run
    gc.collect()
    assert queries_held() <= others


def queries_held() -> set[str]:
    """Spark's queries that this process keeps in the JVM, by py4j's names for them."""
    held = [o for o in gc.get_objects() if type(o) is JavaObject]
    return {o._target_id for o in held if "processAllAvailable" in o._methods}


def test_a_view_that_there_is_not_cannot_be_dropped(session: SparkSession, tmp_path: Path) -> None:
    _, run = begun(session, tmp_path, [(1, 1)])
    with pytest.raises(gs.ConfigurationError, match="has no view 'nope'; it has all"):
        run.dropView("nope")
    assert run.isActive and run.views == ("all",)
    run.stop()


def test_dir_shows_no_private_helpers(session: SparkSession, tmp_path: Path) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    table = p.table("t", ROWS, key="id")
    run = p.view("all", table.df).start()
    run.stop()
    for what, name in ((p, "view"), (table, "upsert"), (run, "dropView")):
        names = dir(what)
        assert name in names and "__doc__" in names
        assert [n for n in names if n.startswith("_") and not n.endswith("__")] == []
