"""Views that are added to a running pipeline, and filled while its barriers go on."""

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.runtime.backfill.fill import Fill
from groundswell.runtime.planning import unfilled as filling
from incremental.harness import bag

ORDERS = "id bigint, customer bigint, amount bigint"
CLICKS = "customer bigint, page string"
QUERIES = {
    "large": "SELECT id, amount FROM orders WHERE amount > 40",
    "sums": "SELECT customer, count(*) n, sum(amount) s, min(amount) m FROM orders GROUP BY 1",
    "total": "SELECT count(*) n, sum(amount) s FROM orders",
    "pairs": "SELECT o.id, c.page FROM orders o JOIN clicks c USING (customer)",
    "quiet": "SELECT o.id, c.page FROM orders o LEFT JOIN clicks c USING (customer)",
    "first": "SELECT id, amount FROM orders ORDER BY amount DESC, id LIMIT 5",
    "each": "SELECT customer, upper(page) page FROM clicks",
    "ranked": "SELECT * FROM (SELECT id, customer, row_number() OVER (PARTITION BY customer "
    "ORDER BY amount, id) place FROM orders) WHERE place < 3",
}


class Shop:
    """Two tables that change while views of them are filled."""

    def __init__(self, session: SparkSession, folder: Path) -> None:
        self.session, self.location = session, str(folder / "c")
        self.random = random.Random(7)
        self.run: Any = None

    def start(self, *views: str, **options: Any) -> None:
        """With views of all rows, and ``views`` by their names in :data:`QUERIES`."""
        self.pipeline = gs.pipeline(self.session, self.location, **options)
        self.orders = self.pipeline.table("orders", ORDERS, key="id")
        self.clicks = self.pipeline.table("clicks", CLICKS)
        self.orders.df.createOrReplaceTempView("orders")
        self.clicks.df.createOrReplaceTempView("clicks")
        self.pipeline.view("all_orders", self.orders.df)
        self.pipeline.view("all_clicks", self.clicks.df)
        for name in views:
            self.pipeline.view(name, self.frame(name))
        self.run = self.pipeline.start()

    def frame(self, name: str) -> Any:
        return self.session.sql(QUERIES[name])

    def begin(self, **options: Any) -> None:
        self.start(**options)
        rows = [(i, i % 7, i * 31 % 97) for i in range(120)]
        self.orders.insert(self.session.createDataFrame(rows, ORDERS))
        clicks = [(i % 9, f"p{i % 4}") for i in range(30)]
        self.clicks.insert(self.session.createDataFrame(clicks, CLICKS))
        self.run.processAllAvailable()

    def change(self) -> None:
        """One barrier of upserts, deletes and inserts."""
        ids = self.random.sample(range(140), 9)
        rows = [(i, self.random.randrange(9), self.random.randrange(97)) for i in ids[:6]]
        self.orders.upsert(self.session.createDataFrame(rows, ORDERS))
        self.orders.delete(self.session.createDataFrame([(i,) for i in ids[6:]], "id bigint"))
        click = (self.random.randrange(9), f"p{self.random.randrange(6)}")
        self.clicks.insert(self.session.createDataFrame([click], CLICKS))
        self.run.processAllAvailable()

    def check(self, *views: str) -> None:
        """Each is what batch Spark says of the tables as they were at the same epoch."""
        seen = gs.snapshot(self.session, self.location)
        batch = self.session.newSession()
        for name in ("orders", "clicks"):
            rows = seen[f"all_{name}"]
            batch.createDataFrame(rows.collect(), rows.schema).createOrReplaceTempView(name)
        for view in views:
            assert bag(seen[view]) == bag(batch.sql(QUERIES[view])), (view, seen.epoch)


@pytest.fixture
def shop(session: SparkSession, tmp_path: Path) -> Iterator[Shop]:
    made = Shop(session, tmp_path)
    yield made
    with suppress(Exception):
        made.run.stop()


class Between:
    """Does something before each step of a fill, on the fill's own thread."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, act: Callable[[int], Any]) -> None:
        self.steps = 0
        monkeypatch.setattr(filling, "PART_ROWS", 40)
        run = Fill._run

        def stepped(fill: Fill, *given: Any) -> None:
            if threading.current_thread().name == "groundswell-fill":
                self.steps += 1
                act(self.steps)
            run(fill, *given)

        monkeypatch.setattr(Fill, "_run", stepped)


@pytest.mark.rest
@pytest.mark.parametrize(
    "names",
    [
        pytest.param(("sums", "quiet", "first", "each"), id="some"),
        pytest.param(tuple(QUERIES), id="all", marks=pytest.mark.soak),
    ],
)
def test_every_epoch_after_the_switch_is_what_batch_says(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    """Barriers run between the parts; retention keeps nothing that the fill does not ask for."""
    shop.begin(retainEpochs=2, retireEvery=1)
    told: list[Any] = []

    def between(step: int) -> None:
        if step in (1, 2, 4):
            shop.change()
            told.append(shop.run.lastProgress["filling"])

    steps = Between(monkeypatch, between)
    query = shop.run._query
    shop.run.change(lambda: [shop.pipeline.view(n, shop.frame(n)) for n in names])
    assert steps.steps > 4
    assert query is not shop.run._query
    shop.check(*names)
    shop.change()
    shop.check(*names)
    assert [t["percent"] for t in told] == sorted(t["percent"] for t in told)
    assert told[0]["percent"] == 0 < told[-1]["percent"]
    assert told[-1]["rowsPerSecond"] > 0 and set(told[-1]["views"]) == set(names)
    assert shop.run.lastProgress["filling"] is None


@pytest.mark.rest
def test_views_on_views_and_parts_that_others_have(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The join is there, so the fill keeps one of its own while it is at work."""
    shop.begin()
    shop.run.addView("pairs", shop.frame("pairs"))
    Between(monkeypatch, lambda step: shop.change() if step < 6 else None)
    shop.session.sql(QUERIES["pairs"]).createOrReplaceTempView("joined")
    by_page = "SELECT page, count(*) n FROM joined GROUP BY page"
    shop.run.addView("by_page", shop.session.sql(by_page))
    shop.pipeline.read("pairs").createOrReplaceTempView("of_view")
    shop.run.addView(
        "again", shop.session.sql("SELECT page, count(*) n FROM of_view GROUP BY page")
    )
    for _ in range(2):
        shop.change()
        shop.check("pairs")
        seen = shop.run.snapshot()
        assert bag(seen["by_page"]) == bag(seen["again"])
        expected = bag(seen["pairs"].groupBy("page").count())
        assert bag(seen["by_page"]) == expected


@pytest.mark.rest
def test_all_arguments_of_a_view_and_an_index(shop: Shop) -> None:
    shop.begin()
    seen: list[int] = []
    shop.run.addView("large", shop.frame("large"), lambda _, epoch: seen.append(epoch))
    shop.run.addView("noted", shop.frame("sums"), emit="update", errors="divert", ttl="1 hour")
    shop.run.addView(
        "shares",
        shop.session.sql("SELECT id, 60 DIV amount share FROM orders WHERE amount > 0"),
        onFailure="set_aside",
        maxStateBytes=1 << 30,
    )
    shop.run.addIndex(shop.orders, "customer", name="by_customer")
    found = len(gs.lookup(shop.session, shop.location, "by_customer", 3))
    assert found == shop.run.view("all_orders").where("customer = 3").count()
    shop.change()
    shop.check("large")
    assert seen
    shop.run.dropIndex("by_customer")
    shop.run.dropView("noted")
    with pytest.raises(TypeError):
        shop.run.addView("more", shop.frame("large"), nonsense=1)


@pytest.mark.rest
def test_a_join_over_shared_indexes(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fill keeps indexes of its own, as of where it is."""
    shop.begin(joins="delta")
    Between(monkeypatch, lambda step: shop.change() if step % 2 else None)
    shop.run.addIndex(shop.orders, "customer", name="orders_by_customer")
    shop.run.addIndex(shop.clicks, "customer", name="clicks_by_customer")
    shop.run.addView("pairs", shop.frame("pairs"))
    shop.change()
    shop.check("pairs")
    found = len(gs.lookup(shop.session, shop.location, "orders_by_customer", 3))
    assert found == shop.run.view("all_orders").where("customer = 3").count()


@pytest.mark.rest
def test_a_query_that_is_stopped_does_not_get_the_view(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the fill has left of its states is begun again."""
    shop.begin()
    stopping = threading.Thread(target=lambda: shop.run.stop())
    between = Between(monkeypatch, lambda step: stopping.start() if step == 3 else None)
    with pytest.raises(gs.IllegalState, match="sums was being filled, and the query was stopped"):
        shop.run.addView("sums", shop.frame("sums"))
    stopping.join()
    assert not shop.run.isActive
    assert between.steps < 6
    shop.start()
    assert shop.run.views == ("all_orders", "all_clicks")
    shop.change()
    shop.run.addView("sums", shop.frame("sums"))
    shop.change()
    shop.check("sums")


@pytest.mark.rest
def test_a_view_is_dropped_while_it_is_filled(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.begin()
    dropping = threading.Thread(target=lambda: shop.run.dropView("sums"))
    Between(monkeypatch, lambda step: dropping.start() if step == 2 else None)
    with pytest.raises(gs.IllegalState, match="view sums was dropped"):
        shop.run.addView("sums", shop.frame("sums"))
    dropping.join()
    shop.change()
    assert shop.run.views == ("all_orders", "all_clicks")
    shop.run.addView("sums", shop.frame("sums"))
    shop.check("sums")


@pytest.mark.rest
def test_two_views_at_once(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.begin()
    Between(monkeypatch, lambda step: shop.change() if step % 3 == 1 else None)
    adding = [
        threading.Thread(target=shop.run.addView, args=(name, shop.frame(name)))
        for name in ("sums", "pairs")
    ]
    for each in adding:
        each.start()
    for each in adding:
        each.join()
    assert set(shop.run.views) == {"all_orders", "all_clicks", "sums", "pairs"}
    shop.change()
    shop.check("sums", "pairs")


@pytest.mark.rest
def test_a_fill_that_fails_leaves_the_query_as_it_runs(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It fails on a row that comes while it is at work, too."""
    shop.begin()
    query, token = shop.run._query, shop.run.ownerToken
    shares = "SELECT id, 60 DIV (amount - 1000) share FROM orders"
    bad = [(500, 1, 1000)]

    def between(step: int) -> None:
        shop.change()
        if step == 3:
            shop.orders.upsert(shop.session.createDataFrame(bad, ORDERS))
            shop.run.processAllAvailable()

    Between(monkeypatch, between)
    with pytest.raises(gs.RowFailed, match="view shares; source orders: the row"):
        shop.run.addView("shares", shop.session.sql(shares))
    assert (shop.run._query, shop.run.ownerToken) == (query, token)
    assert shop.run.isActive and shop.run.views == ("all_orders", "all_clicks")
    shop.orders.delete(shop.session.createDataFrame([(500,)], "id bigint"))
    shop.change()
    shop.run.addView("sums", shop.frame("sums"))
    shop.check("sums")


@pytest.mark.rest
def test_a_view_set_aside_is_filled_again_beside_the_others(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.begin()
    shop.run.addView("sums", shop.frame("sums"), onFailure="set_aside", maxStateBytes=1 << 20)
    shop.run.addView(
        "shares",
        shop.session.sql("SELECT id, 60 DIV (amount - 1000) share FROM orders"),
        onFailure="set_aside",
    )
    shop.orders.upsert(shop.session.createDataFrame([(500, 1, 1000)], ORDERS))
    shop.run.processAllAvailable()
    assert shop.run.lastProgress["aside"].keys() == {"shares"}
    shop.orders.delete(shop.session.createDataFrame([(500,)], "id bigint"))
    shop.run.processAllAvailable()
    Between(monkeypatch, lambda step: shop.change() if step < 4 else None)
    shop.run.resume("shares")
    shop.change()
    seen = shop.run.snapshot()
    expected = seen["all_orders"].selectExpr("id", "60 DIV (amount - 1000) share")
    assert bag(seen["shares"]) == bag(expected)
