"""Rows that expressions cannot digest: named, or set aside, under every change."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf

import groundswell as gs
from incremental.harness import (
    Changelog,
    Row,
    Table,
    Tables,
    Upserts,
    assert_same,
    bag,
    bags,
    one_barrier,
)

SHARES = "SELECT id, 60 DIV v AS share FROM orders WHERE id < 100"


class Orders:
    """A pipeline over a table of orders, restarted at will."""

    def __init__(self, session: SparkSession, folder: Path) -> None:
        self.session, self.location = session, str(folder / "c")
        self.given: list[tuple[Any, ...]] = []
        self.table: Any = None

    def start(self, errors: str = "divert") -> gs.IncrementalQuery:
        pipeline = gs.pipeline(self.session, self.location)
        self.table = pipeline.table("orders", "id long, v int", key="id")
        self.table.df.createOrReplaceTempView("orders")
        pipeline.view("shares", self.session.sql(SHARES), errors=errors)
        if errors == "divert":
            pipeline.view("log", pipeline.read("shares_diverted"), foreachBatch=self.deliver)
        self.run = pipeline.start()
        return self.run

    def deliver(self, changes: DataFrame, epoch: int) -> None:
        self.given += [(r.row, r._change_type) for r in changes.collect()]

    def put(self, *rows: tuple[int, int]) -> None:
        self.table.upsert(self.session.createDataFrame(rows, "id long, v int"))
        self.run.processAllAvailable()

    def delete(self, *ids: int) -> None:
        self.table.delete(self.session.createDataFrame([(i,) for i in ids], "id long"))
        self.run.processAllAvailable()

    def seen(self) -> tuple[list[tuple[Any, ...]], list[str]]:
        views = gs.read_views(self.session, self.location)
        aside = sorted(r.row for r in views["shares_diverted"].collect())
        return sorted(tuple(r) for r in views["shares"].collect()), aside

    def last(self) -> list[tuple[Any, ...]]:
        given, self.given = sorted(self.given), []
        return given


def shown(number: int, v: int) -> str:
    return f'{{"id":{number},"v":{v}}}'


def test_rows_are_set_aside_and_come_back(session: SparkSession, tmp_path: Path) -> None:
    orders = Orders(session, tmp_path)
    orders.start()
    orders.put((1, 10), (2, 0), (3, 30))
    assert orders.seen() == ([(1, 6), (3, 2)], [shown(2, 0)])
    assert orders.last() == [(shown(2, 0), "insert")]
    assert orders.run.lastProgress["divertedRows"] == 1

    orders.put((1, 0), (2, 20))  # from good to bad, from bad to good
    assert orders.seen() == ([(2, 3), (3, 2)], [shown(1, 0)])
    assert orders.last() == [(shown(1, 0), "insert"), (shown(2, 0), "delete")]

    orders.run.stop()
    orders.start()
    orders.put((4, 0), (3, 15))
    assert orders.seen() == ([(2, 3), (3, 4)], [shown(1, 0), shown(4, 0)])
    orders.last()

    orders.delete(1, 2)  # a bad row and a good one
    assert orders.seen() == ([(3, 4)], [shown(4, 0)])
    assert orders.last() == [(shown(1, 0), "delete")]
    assert orders.run.lastProgress["divertedRows"] == 1

    orders.put((3, 60), (500, 0))  # what the filter drops is never divided
    assert orders.seen() == ([(3, 1)], [shown(4, 0)])
    assert orders.run.lastProgress["divertedRows"] == 0
    (aside,) = orders.run.view("shares_diverted").collect()
    orders.run.stop()
    assert "DIVIDE_BY_ZERO" in aside.error
    assert "==" not in aside.error  # the query's text is another one in another run
    assert aside.expression == "(60L div CAST(v AS BIGINT))"


@pytest.mark.rest
def test_the_row_is_named_and_a_restart_may_set_it_aside(
    session: SparkSession, tmp_path: Path
) -> None:
    orders = Orders(session, tmp_path)
    orders.start("fail")
    orders.put((1, 10))
    with pytest.raises(gs.RowFailed) as failed:
        orders.put((2, 0), (3, 5))
    again = orders.start("fail")
    with pytest.raises(gs.RowFailed) as failed_again:
        again.processAllAvailable()
    assert str(failed_again.value) == str(failed.value)
    for part in ("view shares", "source orders", '"id":2', "60L div", "DIVIDE_BY_ZERO", "restart"):
        assert part in str(failed.value)
    assert isinstance(again.exception(), gs.RowFailed)

    orders.start("divert").processAllAvailable()
    assert orders.seen() == ([(1, 6), (3, 12)], [shown(2, 0)])
    orders.put((2, 6))
    assert orders.seen() == ([(1, 6), (2, 10), (3, 12)], [])
    orders.run.stop()
    with pytest.raises(gs.DefinitionChanged, match='errors was "divert"'):
        orders.start("fail")


@pytest.mark.rest
def test_append_only_rows_are_named_and_set_aside_from_a_kept_aggregate(
    session: SparkSession, tmp_path: Path
) -> None:
    """The sums of what came before stay, though the stream cannot be read again."""
    events = Table(session, tmp_path, "events", "k string, s string, note string")
    location = str(tmp_path / "c")

    def query(errors: str) -> gs.IncrementalQuery:
        events.source().createOrReplaceTempView("events")
        frame = session.sql("SELECT k, sum(CAST(s AS INT)) total FROM events GROUP BY k")
        writer = frame.incremental(errors=errors).writeStream
        return writer.option("checkpointLocation", location).toView("totals")

    run = query("fail")
    events.put([{"k": "a", "s": "1"}, {"k": "b", "s": "2"}])
    run.processAllAvailable()
    events.put([{"k": "a", "s": "one", "note": "seen"}, {"k": "a", "s": "4"}])
    with pytest.raises(gs.RowFailed, match=r'source events.*"s":"one".*CAST_INVALID_INPUT'):
        run.processAllAvailable()
    run = query("divert")
    run.processAllAvailable()
    assert bag(run.view()) == Counter([("a", 5), ("b", 2)])
    (aside,) = run.view("totals_diverted").collect()
    assert aside.row == '{"k":"a","s":"one","note":"seen"}'
    run.stop()


@pytest.mark.rest
def test_views_are_set_to_divert_one_after_the_other(session: SparkSession, tmp_path: Path) -> None:
    """Both fail on one row of a stream that cannot be read again."""
    events = Table(session, tmp_path, "events", "id long, s string")

    def query(first: str, second: str) -> gs.IncrementalQuery:
        pipeline = gs.pipeline(session, str(tmp_path / "c"))
        source = events.source()
        pipeline.view("whole", source.selectExpr("id", "CAST(s AS INT) n"), errors=first)
        pipeline.view("real", source.selectExpr("id", "CAST(s AS DOUBLE) n"), errors=second)
        return pipeline.start()

    run = query("fail", "fail")
    events.put([{"id": 1, "s": "1"}])
    run.processAllAvailable()
    events.put([{"id": 2, "s": "two"}])
    with pytest.raises(gs.RowFailed, match=r"view (whole|real)"):  # whose task is first
        run.processAllAvailable()
    with pytest.raises(gs.RowFailed, match="view real"):
        query("divert", "fail").processAllAvailable()
    run = query("divert", "divert")
    run.processAllAvailable()
    assert bag(run.view("whole")) == bag(run.view("real")) == Counter([(1, 1)])
    assert run.view("whole_diverted").count() == run.view("real_diverted").count() == 1
    run.stop()


NUMBERS = "SELECT CAST(s AS INT) % 2 odd, count(*) n FROM t GROUP BY 1"


@pytest.mark.rest
@pytest.mark.parametrize("barrier", [False, True])
def test_a_view_that_comes_back_to_fail_has_no_state_without_the_rows_set_aside(
    session: SparkSession, tmp_path: Path, barrier: bool
) -> None:
    pipeline = gs.pipeline(session, str(tmp_path / "c"))
    table = pipeline.table("t", "id long, s string", key="id")
    table.df.createOrReplaceTempView("t")
    pipeline.view("all", table.df)
    pipeline.view("numbers", session.sql(NUMBERS), errors="divert")

    def put(number: int, s: str) -> None:
        table.upsert(session.createDataFrame([(number, s)], "id long, s string"))
        run.processAllAvailable()

    run = pipeline.start()
    put(1, "1")
    put(2, "two")
    run.dropView("numbers")
    if barrier:
        put(3, "3")
    run.stop()
    pipeline.view("numbers", session.sql(NUMBERS))
    with pytest.raises(gs.RowFailed, match=r"view numbers.*\"s\":\"two\""):
        pipeline.start().processAllAvailable()
    run = pipeline.drop("numbers").start()
    put(2, "2")
    run.stop()
    run = pipeline.view("numbers", session.sql(NUMBERS)).start()
    put(4, "4")
    assert bag(run.view("numbers")) == Counter([(0, 2), (1, 2 if barrier else 1)])
    run.stop()


@pytest.mark.rest
def test_a_view_that_is_only_called_like_rows_set_aside_is_dropped_alone(
    session: SparkSession, tmp_path: Path
) -> None:
    pipeline = gs.pipeline(session, str(tmp_path / "c"))
    table = pipeline.table("t", "id long, s string", key="id")
    pipeline.view("rows", table.df)
    pipeline.view("rows_diverted", table.df.where("id > 1"))
    table.insert(session.createDataFrame([(1, "1")], "id long, s string"))
    run = pipeline.start()
    run.processAllAvailable()
    run.stop()
    run = pipeline.drop("rows_diverted").start()
    table.insert(session.createDataFrame([(2, "2")], "id long, s string"))
    run.processAllAvailable()
    assert bag(run.view("rows")) == Counter([(1, "1"), (2, "2")])
    run.stop()


@pytest.mark.rest
def test_a_view_that_comes_back_to_fail_leaves_what_others_keep(
    session: SparkSession, tmp_path: Path
) -> None:
    """No row failed: the view is filled again, below states that its twin goes on with."""
    location = str(tmp_path / "c")
    pipeline = gs.pipeline(session, location)
    table = pipeline.table("t", "id long, s string", key="id")
    table.df.createOrReplaceTempView("t")
    pipeline.view("twin", session.sql(NUMBERS), errors="divert")
    pipeline.view("numbers", session.sql(NUMBERS), errors="divert")
    table.insert(session.createDataFrame([(1, "1"), (2, "2")], "id long, s string"))
    run = pipeline.start()
    run.processAllAvailable()
    run.dropView("numbers")
    run.addView("numbers", session.sql(NUMBERS))
    assert bag(run.view("numbers")) == Counter([(0, 1), (1, 1)])
    table.upsert(session.createDataFrame([(2, "3"), (4, "5")], "id long, s string"))
    run.processAllAvailable()
    assert bag(run.view("numbers")) == bag(run.view("twin")) == Counter([(1, 3)])
    run.stop()
    run = pipeline.start()
    table.delete(session.createDataFrame([(1,)], "id long"))
    run.processAllAvailable()
    assert bag(run.view("numbers")) == bag(run.view("twin")) == Counter([(1, 2)])
    run.stop()


@pytest.mark.rest
def test_a_source_is_not_read_on_by_a_view_that_was_not_there(
    session: SparkSession, tmp_path: Path
) -> None:
    """What the source delivered until now is in no state that the view may have."""
    events = Table(session, tmp_path, "events", "id long, s string")
    others = Table(session, tmp_path, "others", "id long")
    pipeline = gs.pipeline(session, str(tmp_path / "c"))
    query = events.source().selectExpr("id", "CAST(s AS INT) n")
    pipeline.view("others", others.source())
    pipeline.view("whole", query, errors="divert")
    run = pipeline.start()
    events.put([{"id": 1, "s": "1"}, {"id": 2, "s": "two"}])
    others.put([{"id": 1}])
    run.processAllAvailable()
    run.dropView("whole")
    with pytest.raises(gs.DefinitionChanged, match="rows of events were given up"):
        run.addView("whole", query)
    run.stop()


QUERIES = {
    "both": """SELECT id, 100 DIV v q, CAST(s AS INT) n FROM t WHERE 1000 DIV w > 300""",
    "sums": "SELECT k, sum(CAST(s AS INT)) total, count(*) n FROM t GROUP BY k",
    "some": """SELECT k, sum(12 DIV v) FILTER (WHERE v <> 0) a,
               max(CAST(s AS INT)) FILTER (WHERE v = 1) b FROM t GROUP BY k""",
    "ratios": "SELECT k, sum(w) DIV sum(v) r, count(*) n FROM t GROUP BY k",
    "pairs": "SELECT t.id, u.id other, u.name FROM t LEFT JOIN u ON CAST(t.s AS INT) = 6 DIV u.n",
    "parts": "SELECT id, e FROM t LATERAL VIEW explode(sequence(1, 10 DIV v)) x AS e",
    "places": "SELECT id, rank() OVER (PARTITION BY k ORDER BY CAST(s AS INT)) place FROM t",
    "best": "SELECT id, s FROM t ORDER BY CAST(s AS INT) DESC NULLS LAST, id LIMIT 3",
    "nested": "SELECT q, sum(100 DIV n) m FROM "
    "(SELECT 100 DIV v q, count(*) - 1 n FROM t GROUP BY 100 DIV v) GROUP BY q",
    "outer": "SELECT u.id, 10 DIV (t.v + u.n) r FROM u LEFT JOIN t ON t.id = u.id",
    "global": "SELECT 10 DIV sum(v) r FROM t",
}
GOOD_V, GOOD_S = "(v IS NULL OR v <> 0)", "(s IS NULL OR try_cast(s AS INT) IS NOT NULL)"
DIGESTED = {
    "both": f"""SELECT id, 100 DIV v q, try_cast(s AS INT) n FROM t
                WHERE w <> 0 AND 1000 / w > 300 AND {GOOD_V} AND {GOOD_S}""",
    "sums": f"SELECT k, sum(try_cast(s AS INT)) total, count(*) n FROM t WHERE {GOOD_S} GROUP BY k",
    "some": f"""SELECT k, sum(12 DIV v) FILTER (WHERE v <> 0) a,
                max(try_cast(s AS INT)) FILTER (WHERE v = 1) b
                FROM t WHERE v IS NULL OR v <> 1 OR {GOOD_S} GROUP BY k""",
    "ratios": """SELECT k, CAST(try_divide(w, v) AS BIGINT) r, n FROM (SELECT k, sum(w) w, sum(v) v,
                 count(*) n FROM t GROUP BY k) WHERE v IS NULL OR v <> 0""",
    "pairs": f"""SELECT t.id, u.id other, u.name FROM (SELECT * FROM t WHERE {GOOD_S}) t
                 LEFT JOIN (SELECT *, 6 DIV n m FROM u WHERE n <> 0) u ON try_cast(s AS INT) = m""",
    "parts": f"""SELECT id, e FROM (SELECT * FROM t WHERE {GOOD_V})
                 LATERAL VIEW explode(sequence(1, 10 DIV v)) x AS e""",
    "places": f"""SELECT id, rank() OVER (PARTITION BY k ORDER BY try_cast(s AS INT)) place
                  FROM t WHERE {GOOD_S}""",
    "best": f"""SELECT id, s FROM t WHERE {GOOD_S}
                ORDER BY try_cast(s AS INT) DESC NULLS LAST, id LIMIT 3""",
    "nested": f"""SELECT q, sum(100 DIV n) m FROM (SELECT q, count(*) - 1 n FROM
                  (SELECT 100 DIV v q FROM t WHERE {GOOD_V}) GROUP BY q) WHERE n <> 0 GROUP BY q""",
    "outer": """SELECT u.id, 10 DIV (t.v + u.n) r FROM u LEFT JOIN t ON t.id = u.id
                WHERE t.v + u.n IS NULL OR t.v + u.n <> 0""",
    "global": "SELECT 10 DIV v r FROM (SELECT sum(v) v FROM t) WHERE v IS NULL OR v <> 0",
}
ASIDE = {
    "sums": f"SELECT id FROM t WHERE NOT {GOOD_S}",
    "ratios": "SELECT k FROM t GROUP BY k HAVING sum(v) = 0",
    "parts": f"SELECT id FROM t WHERE NOT {GOOD_V}",
    "best": f"SELECT id FROM t WHERE NOT {GOOD_S}",
    "outer": "SELECT id FROM t JOIN u USING (id) WHERE t.v + u.n = 0",
}


def changes(chance: random.Random) -> dict[str, list[Row]]:
    """Some rows of each table: new ones, other values of old ones, and goodbyes."""

    def some(make: Any) -> list[Row]:
        ids = chance.sample(range(9), chance.randrange(1, 5))
        gone = [chance.random() < 0.25 for _ in ids]
        return [{"id": i, "gone": True} if g else make(i) for i, g in zip(ids, gone, strict=True)]

    def row(number: int) -> Row:
        return {
            "id": number,
            "k": chance.choice("ab"),
            "v": chance.choice([0, 0, 1, -1, 2, None]),
            "w": chance.choice([0, 1, 2, 4]),
            "s": chance.choice(["1", "2", "3", "x", "", None]),
        }

    def other(number: int) -> Row:
        return {"id": number, "n": chance.choice([0, 1, 2, 3, -1]), "name": chance.choice("pq")}

    return {"t": some(row), "u": some(other)}


@pytest.mark.rest
@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(n, marks=pytest.mark.soak) for n in range(2, 8))]
)
def test_views_equal_their_queries_over_the_rows_that_digest(
    session: SparkSession, tmp_path: Path, seed: int
) -> None:
    print(f"seed {seed}")
    chance = random.Random(seed)
    tables = Tables(
        Upserts(session, tmp_path, "t", "id long, k string, v int, w int, s string", "id"),
        Upserts(session, tmp_path, "u", "id long, n int, name string", "id"),
    )
    location = str(tmp_path / "c")

    def start() -> gs.IncrementalQuery:
        tables.as_sources()
        pipeline = gs.pipeline(session, location)
        for name, text in QUERIES.items():
            pipeline.view(name, session.sql(text), errors="divert")
        return pipeline.start()

    run = start()
    epochs = []
    for step in range(4):
        with one_barrier(run):
            for name, rows in changes(chance).items():
                next(t for t in tables.tables if t.name == name).put(rows)
        tables.snapshot()
        run.processAllAvailable()
        assert run.lastProgress is not None
        epochs.append(run.lastProgress["epoch"])
        if step == 1:
            run.stop()
            run = start()
    run.stop()
    failed = 0
    for step, epoch in enumerate(epochs):
        tables.as_batch(step)
        views = gs.read_views(session, location, epoch=epoch)
        aside = {f"{name}_diverted": f"SELECT count(*) FROM ({ASIDE[name]})" for name in ASIDE}
        found = bags(
            {name: views[name] for name in QUERIES}
            | {name: views[name].selectExpr("count(*)") for name in aside}
        )
        wanted = bags({name: session.sql(text) for name, text in (DIGESTED | aside).items()})
        for name in wanted:
            assert_same(found[name], wanted[name], f"seed {seed}, {name}, step {step}")
        failed += sum(count for name in aside for (count,) in wanted[name])
    assert failed > 0


@pytest.mark.rest
def test_a_view_that_fails_ends_the_barrier_of_one_that_would_not(
    session: SparkSession, tmp_path: Path
) -> None:
    """Both aggregate the same; once the strict one is gone, the other keeps its state."""
    table = Upserts(session, tmp_path, "t", "id long, k string, v int", "id")
    text = "SELECT k, sum(10 DIV v) n FROM t GROUP BY k"
    pipeline = gs.pipeline(session, str(tmp_path / "c"))
    table.source().createOrReplaceTempView("t")
    pipeline.view("lenient", session.sql(text), errors="divert")
    pipeline.view("strict", session.sql(text))
    run = pipeline.start()
    table.put([{"id": 1, "k": "a", "v": 5}])
    run.processAllAvailable()
    table.put([{"id": 2, "k": "a", "v": 0}])
    with pytest.raises(gs.RowFailed, match=r'view .*strict.*"id":2'):
        run.processAllAvailable()
    run = pipeline.drop("strict").start()
    run.processAllAvailable()
    assert bag(run.view("lenient")) == Counter([("a", 2)])
    assert run.view("lenient_diverted").count() == 1
    run.stop()


@pytest.mark.rest
def test_what_cannot_be_set_aside_is_refused_by_name(session: SparkSession, tmp_path: Path) -> None:
    table = Upserts(session, tmp_path, "t", "id long, v int", "id")

    @udf("double")
    def inverted(v: int) -> float:
        return 1 / v

    with pytest.raises(gs.NotIncremental, match=r"inverted\(v.*Python function"):
        table.source().select("id", inverted("v")).incremental(errors="divert")
    bare = Changelog(session, tmp_path, "c", "v int", None).source()
    with pytest.raises(gs.NotIncremental, match="without a key"):
        bare.selectExpr("1 DIV v q").groupBy("q").count().incremental(errors="divert")
    with pytest.raises(gs.ConfigurationError, match="fail, divert"):
        table.source().incremental(errors="ignore")
    pipeline = gs.pipeline(session, str(tmp_path / "p"))
    pipeline.view("a", table.source().selectExpr("id", "1 DIV v q"), errors="divert")
    with pytest.raises(gs.ConfigurationError, match="the name of the rows of view a"):
        pipeline.view("a_diverted", table.source())
    assert "Rows that fail in" in pipeline.program.planned().explain()
