"""Views that are recomputed in a barrier: the same rows, the same changes, the same states."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from groundswell import jvm
from groundswell.optimizer.refresh import Choice
from groundswell.runtime.barriers import refreshing
from incremental.harness import Upserts, bag

pytestmark = pytest.mark.rest

ORDERS = "id bigint, customer bigint, amount bigint, word string"
CUSTOMERS = "customer bigint, name string"
VISITS = "customer bigint, minutes bigint"
VIEWS = {
    "visited": "SELECT customer, count(*) n, max(minutes) m FROM visits GROUP BY customer",
    "big": "SELECT id, amount FROM orders WHERE amount > 50",
    "sums": "SELECT customer, count(*) n, sum(amount) s, max(amount) m FROM orders GROUP BY 1",
    "totals": "SELECT count(*) n, sum(n) of_all, max(s) most FROM sums",
    "named": "SELECT o.id, o.amount, c.name FROM orders o LEFT JOIN customers c USING (customer)",
    "names": "SELECT name, count(DISTINCT amount) n FROM named GROUP BY name",
    "first": "SELECT id, amount FROM orders ORDER BY amount DESC, id LIMIT 5",
    "ranked": """SELECT id, customer, rank() OVER (PARTITION BY customer ORDER BY amount, id) r
                 FROM orders""",
}


class Shop:
    """A view of every kind that can be recomputed, and what sinks were told of them."""

    def __init__(self, session: SparkSession, folder: Path, seed: int, views: str = "") -> None:
        self.views = {name: VIEWS[name] for name in views.split() or VIEWS}
        self.session, self.folder, self.chance = session, folder, random.Random(seed)
        self.orders = Upserts(session, folder, "orders", ORDERS, "id").as_parquet()
        self.customers = Upserts(session, folder, "customers", CUSTOMERS, "customer").as_parquet()
        self.visited: list[tuple[int, int]] = []
        self.told: dict[str, Counter[Any]] = {}

    def pipeline(self, policy: str, **options: Any) -> gs.Pipeline:
        p = gs.pipeline(self.session, str(self.folder / "c"), partitions=2, **options)
        for table in (self.orders, self.customers):
            table.source().createOrReplaceTempView(table.name)
        self.visits = p.table("visits", VISITS)
        assert self.visits.df is not None
        self.visits.df.createOrReplaceTempView("visits")
        for view, query in self.views.items():
            told = self.told.setdefault(view, Counter())

            def take(changes: DataFrame, epoch: int, told: Counter[Any] = told) -> None:
                rows = changes.collect()
                for at, row in enumerate(rows):
                    *values, what = row
                    if what == "update_postimage":
                        assert rows[at - 1][-1] == "update_preimage", "pairs are adjacent"
                        assert rows[at - 1][:-1] != row[:-1], "what is as it was is no change"
                    told[tuple(values)] += 1 if what in ("insert", "update_postimage") else -1

            p.view(view, self.session.sql(query), foreachBatch=take, policy=policy)
            p.read(view).createOrReplaceTempView(view)
        return p

    def change(self, rows: int) -> None:
        ids = {self.chance.randrange(60) for _ in range(rows)}
        self.orders.put(
            {
                "id": i,
                "customer": self.chance.choice([None, *range(5)]),
                "amount": self.chance.randrange(100),
                "word": self.chance.choice("abc"),
                "gone": self.chance.random() < 0.2,
            }
            for i in ids
        )
        came = [(self.chance.randrange(5), self.chance.randrange(90)) for _ in range(3)]
        self.visits.insert(self.session.createDataFrame(came, VISITS))
        self.visited += came
        one = {"customer": self.chance.randrange(6), "name": self.chance.choice("xyz")}
        self.customers.put([{**one, "gone": self.chance.random() < 0.3}])
        for table in (self.orders, self.customers):
            table.snapshots.append(list(table.rows))

    def expected(self) -> dict[str, Counter[Any]]:
        """The views as batch Spark computes them."""
        found = {}
        for table in (self.orders, self.customers):
            table.batch().createOrReplaceTempView(table.name)
        self.session.createDataFrame(self.visited, VISITS).createOrReplaceTempView("visits")
        for view, query in self.views.items():
            frame = self.session.sql(query)
            frame.createOrReplaceTempView(view)
            found[view] = Counter(bag(frame))
        return found

    def check(self, run: Any) -> None:
        """Views are what their queries are, and sinks were told what makes them so."""
        expected = self.expected()
        assert {view: Counter(bag(run.view(view))) for view in self.views} == expected
        assert {view: +told for view, told in self.told.items()} == expected
        assert not any(-told for told in self.told.values()), "no row is taken back twice"


def choices(run: Any) -> set[str]:
    return {told["choice"] for told in run.lastProgress["refresh"].values()}


def test_views_that_are_followed_and_computed_anew_in_turn_are_what_batch_spark_gives(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(session, tmp_path, seed=3)
    turns = iter([False, True, False, True, True])
    seen = []

    def choose(policies: Any, cannot: str, *_: Any) -> Choice:
        return Choice(not cannot and full, "by turns")

    full = next(turns)
    monkeypatch.setattr(refreshing, "choose", choose)
    run = shop.pipeline("AUTO", retainEpochs=3, retireEvery=1).start()
    for rows in (60, 8, 3, 40, 8):
        shop.change(rows)
        run.processAllAvailable()
        shop.check(run)
        seen.append(choices(run))
        full = next(turns, False)
    run.stop()
    assert seen == [{"incremental"}, {"full"}, {"incremental"}, {"full"}, {"full"}]


def test_views_are_computed_anew_after_a_rescale(session: SparkSession, tmp_path: Path) -> None:
    """Both write states at other places than a barrier does."""
    shop = Shop(session, tmp_path, seed=8, views="visited sums totals names")
    shop.views["named"] = VIEWS["named"]
    shop.views = {name: VIEWS[name] for name in VIEWS if name in shop.views}  # named before names
    run = shop.pipeline("FULL", retainEpochs=2, retireEvery=1).start()
    shop.change(40)
    run.processAllAvailable()
    for partitions in (5, 1):
        run.rescale(partitions)
        shop.change(20)
        run.processAllAvailable()
        told = [t for barrier in run.recentProgress for t in barrier["refresh"].items()]
        assert {view for view, each in told if each["choice"] == "full"} == set(shop.views)
        shop.check(run)
    run.stop()


def test_a_barrier_that_fails_while_views_are_computed_anew_is_followed_by_the_next_run(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its tables were committed, its views not; and a policy may be another at each start."""
    shop = Shop(session, tmp_path, seed=5, views="visited sums totals")
    run = shop.pipeline("FULL").start()
    shop.change(40)
    run.processAllAvailable()

    def die(point: str) -> None:
        if point == "before_anew":
            raise RuntimeError("as if killed")

    monkeypatch.setattr(jvm, "fail_points", lambda _: die)
    run.stop()
    run = shop.pipeline("FULL").start()
    shop.change(9)
    with pytest.raises(gs.PipelineFailed, match="as if killed"):
        run.processAllAvailable()
    run.stop()
    monkeypatch.undo()
    run = shop.pipeline("INCREMENTAL", checkpointEvery=3).start()
    run.processAllAvailable()
    run.stop()  # delivers what the last checkpoint did not
    shop.check(run)
    run = shop.pipeline("FULL", checkpointEvery=3).start()
    for rows in (5, 30, 3):
        shop.change(rows)
        run.processAllAvailable()
        assert "full" in choices(run)
    run.stop()
    shop.check(run)
    run = shop.pipeline("INCREMENTAL").start()
    shop.change(5)
    run.processAllAvailable()
    shop.check(run)
    run.stop()


def test_policies_that_cannot_be_kept_are_refused_and_others_say_why(
    session: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    votes = p.table("votes", "story bigint, user string", key="user")
    lost = p.table("lost", "story bigint, user string", keep=False)
    assert votes.df is not None
    assert lost.df is not None
    counts = votes.df.groupBy("story").count()
    with pytest.raises(gs.ConfigurationError, match="policy must be one of AUTO, INCREMENTAL"):
        p.view("counts", counts, policy="auto")
    p.view("counts", counts, policy="STRICT")
    p.view("most", p.read("counts").where("count > 1"), policy="AUTO")
    p.view("of_lost", lost.df.groupBy("story").count(), policy="AUTO")
    p.explain()
    told = capsys.readouterr().out
    assert "Policy STRICT of view counts: its changes are followed" in told
    assert "together with counts" in told
    assert "cannot be recomputed: the rows of source lost are not kept" in told

    other = gs.pipeline(session, str(tmp_path / "other"))
    rows = other.table("votes", "story bigint, user string", keep=False)
    assert rows.df is not None
    other.view("counts", rows.df.groupBy("story").count(), policy="FULL")
    with pytest.raises(gs.ConfigurationError, match="the rows of source votes are not kept"):
        other.start()
    assert not (tmp_path / "other" / "offsets").exists()

    p.view("again", p.read("counts").select("story"), policy="FULL")
    with pytest.raises(gs.ConfigurationError, match="shares states with view counts, whose policy"):
        p.start()
    p.drop("again")
    votes.upsert(session.createDataFrame([(1, "ann")], votes.df.schema))
    run = p.start()
    run.processAllAvailable()
    run.explain()
    assert "View most: incremental, for that of a view kept with it is STRICT" in (
        capsys.readouterr().out
    )
    run.stop()

    changed = gs.pipeline(session, str(tmp_path / "c"), onChange="rebuild")
    votes = changed.table("votes", "story bigint, user string", key="user")
    assert votes.df is not None
    changed.view("counts", votes.df.groupBy("story").agg({"user": "max"}), policy="STRICT")
    changed.drop("most").drop("of_lost")
    with pytest.raises(gs.DefinitionChanged, match="policy STRICT, and would be recomputed"):
        changed.start()
