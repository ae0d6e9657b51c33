"""Temporal joins (a table as it is now) and as-of joins (the newest row that is not newer)."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell.errors import NotIncremental, SourceError
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

ORDERS = "id long, item string, n long"
PRICES = "item string, price long"


def prices(session: SparkSession, folder: Path) -> Upserts:
    return Upserts(session, folder, "prices", PRICES, "item")


def test_a_row_keeps_the_price_of_its_barrier(session: SparkSession, tmp_path: Path) -> None:
    orders, table = Table(session, tmp_path, "orders", ORDERS), prices(session, tmp_path)
    joined = gs.temporal_join(orders.source(), table.source(), "item", "left")
    location = str(tmp_path / "c")
    pipeline = gs.pipeline(session, location)
    pipeline.view("v", joined.select("id", (F.col("n") * F.col("price")).alias("cost")))
    run = pipeline.start()
    expected: Counter[Any] = Counter()
    for order, price, cost in [
        ({"id": 1, "item": "tea", "n": 2}, {"item": "tea", "price": 3}, 6),
        ({"id": 2, "item": "tea", "n": 2}, {"item": "tea", "price": 5}, 10),
        ({"id": 3, "item": "oil", "n": 1}, {"item": "tea", "gone": True}, None),
        ({"id": 4, "item": "tea", "n": 1}, {"item": "oil", "price": 9}, None),
    ]:
        with one_barrier(run):
            table.put([price])
            orders.put([order])
        run.processAllAvailable()
        expected[order["id"], cost] += 1
        assert bag(gs.read_view(session, location, "v")) == expected
    assert run.lastProgress is not None
    assert "append-only" in pipeline.program.planned().explain().splitlines()[0]
    run.stop()


@pytest.mark.rest
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("how", ["inner", "left"])
@pytest.mark.parametrize("same", ["=", "<="])
def test_what_a_stream_takes_back_is_taken_back_as_it_was_given(
    session: SparkSession, tmp_path: Path, seed: int, how: str, same: str
) -> None:
    """Against a model: the stream's rows change, too, and every key has several rows."""
    chance = random.Random(seed)
    orders = Upserts(session, tmp_path, "orders", ORDERS, "id")
    table = Upserts(session, tmp_path, "prices", "id long, item string, price long", "id")
    joined = gs.temporal_join(
        orders.source().alias("o"),
        table.source().where("price > 0").withColumnRenamed("id", "pid").alias("p"),
        F.expr(f"o.item {same} p.item AND p.price <> o.n"),
        how,
    ).select("o.id", "o.item", "n", "pid", "price")
    location = str(tmp_path / "c")
    run = gs.pipeline(session, location).view("v", joined).start()
    given: dict[int, list[tuple[Any, ...]]] = {}
    last: dict[int, Row] = {}
    for step in range(8):
        some = [_order(chance) for _ in range(chance.randrange(4))]
        with one_barrier(run):
            table.put([_price(chance) for _ in range(chance.randrange(4))])
            orders.put(some)
        rows = {row["id"]: row for row in some}
        for number, row in rows.items():
            if row.get("gone"):
                given.pop(number, None)
                last.pop(number, None)
            elif last.get(number) != row:  # an equal row is no change
                last[number] = row
                given[number] = _meet(row, table.rows, how, same)
        run.processAllAvailable()
        if run.lastProgress is None:
            continue
        assert_same(
            bag(gs.read_view(session, location, "v")),
            Counter(row for rows in given.values() for row in rows),
            f"seed {seed}, step {step}",
        )
        if step == 4:
            run.stop()
            run = gs.pipeline(session, location).view("v", joined).start()
    run.stop()
    assert given


def _order(chance: random.Random) -> Row:
    number = chance.randrange(5)
    if chance.random() < 0.2:
        return {"id": number, "gone": True}
    return {"id": number, "item": chance.choice(["a", "b", None]), "n": chance.randrange(3)}


def _price(chance: random.Random) -> Row:
    number = chance.randrange(4)
    if chance.random() < 0.2:
        return {"id": number, "gone": True}
    return {"id": number, "item": chance.choice("ab"), "price": chance.randrange(4)}


def _meet(row: Row, table: list[Row], how: str, same: str) -> list[tuple[Any, ...]]:
    own = (row["id"], row["item"], row["n"])
    found = [
        (*own, p["id"], p["price"])
        for p in table
        if row["item"] is not None
        and (p["item"] == row["item"] or (same == "<=" and row["item"] < p["item"]))
        and p["price"] > 0
        and p["price"] != row["n"]
    ]
    return found or ([(*own, None, None)] if how == "left" else [])


@pytest.mark.rest
def test_a_lookup_that_was_dropped_begins_again_under_another_name(
    session: SparkSession, tmp_path: Path
) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    orders, costs = p.table("orders", ORDERS), p.table("prices", PRICES, key="item")
    assert orders.df is not None
    joined = gs.temporal_join(orders.df, costs, "item").select("id", "price")

    def insert(number: int, price: int) -> None:
        costs.insert(session.createDataFrame([("tea", price)], PRICES))
        orders.insert(session.createDataFrame([(number, "tea", 1)], ORDERS))
        run.processAllAvailable()

    p.view("rest", orders.df).view("one", joined).view("all", joined.groupBy("id").count())
    run = p.start()
    insert(1, 3)
    insert(2, 5)
    with pytest.raises(gs.DefinitionChanged, match="a view that is there has the same temporal"):
        run.addView("two", joined)
    run.dropView("all")
    run.dropView("one")
    run.addView("two", joined)
    run.addView("sums", joined.groupBy("id").sum("price"))
    assert bag(run.view("two")) == {(1, 5): 1, (2, 5): 1}, "as of the day on which it was added"
    insert(3, 7)
    for name in ("two", "sums"):
        assert bag(run.view(name)) == {(1, 5): 1, (2, 5): 1, (3, 7): 1}
    run.stop()


@pytest.mark.rest
def test_a_table_as_of_now_can_only_be_looked_up(session: SparkSession, tmp_path: Path) -> None:
    orders, table = Table(session, tmp_path, "orders", ORDERS), prices(session, tmp_path)
    stream, now = orders.source(), gs.as_of_now(table.source())
    for frame in (
        now.groupBy("item").count(),
        stream.join(now, "item", "full"),
        stream.join(now, "item", "left_anti"),
        stream.join(now.groupBy("item").count(), "item"),
    ):
        with pytest.raises(NotIncremental, match="can only be looked up"):
            frame.incremental()
    with pytest.raises(SourceError, match="inner or left"):
        gs.temporal_join(stream, table.source(), "item", "full")
    with pytest.raises(SourceError, match="not another query"):
        gs.as_of_now(stream.join(table.source(), "item"))
    with pytest.raises(SourceError, match="rename it on one side"):
        gs.asof_join(stream, stream, left_time="n", right_time="n", on=[("item", "thing")])  # type: ignore[list-item]
    now.createOrReplaceTempView("now_prices")
    stream.createOrReplaceTempView("orders")
    plan = session.sql(
        "SELECT o.*, p.price FROM now_prices p JOIN orders o ON o.item = p.item"
    ).incremental()
    assert "Temporal join inner" in plan.plan


def test_as_of_joins_follow_changes_of_both_sides(session: SparkSession, tmp_path: Path) -> None:
    """Against row_number over all pairs, in batch."""
    chance = random.Random(5)
    schema = "id long, k string, t long, x long"
    tables = Tables(
        Upserts(session, tmp_path, "trades", schema, "id"),
        Changelog(session, tmp_path, "quotes", schema, "id"),
    )
    tables.as_sources()

    def joined(how: str) -> DataFrame:
        quotes = session.table("quotes").select("k", F.col("t").alias("qt"), F.col("id").alias("q"))
        return gs.asof_join(
            session.table("trades"), quotes, left_time="t", right_time="qt", on="k", how=how
        ).drop("x")

    location = str(tmp_path / "c")
    pipeline = gs.pipeline(session, location)
    for how in ("left", "inner"):
        pipeline.view(how, joined(how))
    run = pipeline.start()
    quotes: dict[int, Row] = {}
    epochs = []
    for step in range(6):
        trades = [_row(chance, chance.randrange(6)) for _ in range(4)]
        with one_barrier(run):
            tables.tables[0].put([{**r, "gone": chance.random() < 0.2} for r in trades])
            tables.tables[1].put(_changes(chance, quotes, step))
        tables.snapshot()
        run.processAllAvailable()
        assert run.lastProgress is not None
        epochs.append(run.lastProgress["epoch"])
    run.stop()
    for step, epoch in enumerate(epochs):
        tables.as_batch(step)
        for how in ("left", "inner"):
            batch = session.sql(
                f"""SELECT id, k, t, qt, q FROM (SELECT t.id, t.k, t.t, q.t qt, q.id q,
                row_number() OVER (PARTITION BY t.id ORDER BY q.t DESC) n
                FROM trades t {how} JOIN quotes q ON t.k = q.k AND q.t <= t.t) WHERE n = 1"""
            )
            view = gs.read_view(session, location, how, epoch)
            assert bags({"": view})[""] == bag(batch), f"step {step}, {how}"


def _row(chance: random.Random, number: int) -> Row:
    return {"id": number, "k": chance.choice(["a", "b", None]), "t": chance.randrange(40), "x": 0}


def _changes(chance: random.Random, quotes: dict[int, Row], step: int) -> list[Row]:
    """No two quotes of one time: which of them counts would be open."""
    changes = []
    for number in chance.sample(range(8), 4):
        old = quotes.pop(number, None)
        if old is not None:
            changes.append({"_change_type": "delete", **old})
        if old is None or chance.random() < 0.6:
            new = _row(chance, number)
            new["t"] = 8 * chance.randrange(5) + number
            quotes[number] = new
            changes.append({"_change_type": "insert", **new})
    return changes
