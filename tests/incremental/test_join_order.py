"""Joins in another order than that of the query: the same rows; what is there keeps its order."""

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell import jvm
from groundswell.optimizer.model import Tree
from groundswell.optimizer.regions import regions
from groundswell.optimizer.reorder import Ordering
from groundswell.plan import capture
from groundswell.runtime import program
from groundswell.runtime.record import definition
from groundswell.runtime.record.location import FOLDER
from incremental.checking import assert_epochs_equal_batch
from incremental.harness import Tables, assert_same, bags, five_tables
from incremental.test_indexes import SCHEMA, Random, feed

pytestmark = pytest.mark.rest

WIDE = (
    "select c.id cid, b.id bid, e.v ev, d.v dv from c join b on c.g = b.g join a e on e.k = b.k "
    "join d on d.id = e.k where d.v = 1"
)
"""Catalyst leaves the order as it is written; d, by its key and filtered, is best joined early."""


@pytest.fixture
def tables(session: SparkSession, tmp_path: Path) -> Tables:
    return five_tables(session, tmp_path, SCHEMA)


def random_query(rng: random.Random) -> str:
    """Three to five inputs, each joined to one before; conditions, a barrier, a group-by."""
    names = [rng.choice("abcde") for _ in range(rng.randint(3, 5))]
    text = f"{names[0]} t0"
    for at, name in enumerate(names[1:], 1):
        other = rng.randrange(at)
        on = f"t{at}.{rng.choice('kg')} = t{other}.{rng.choice(['k', 'g', 'id'])}"
        if rng.random() < 0.4:
            on += f" and t{at}.v {rng.choice(['<', '<>'])} t{rng.randrange(at)}.v"
        text += f" join {name} t{at} on {on}"
    if rng.random() < 0.5:
        text += f" left join a x on x.k = t{rng.randrange(len(names))}.g"
    if rng.random() < 0.5:
        text += f" where t{rng.randrange(len(names))}.v > 0"
    if rng.random() < 0.3:
        return f"select t0.g, count(*) n, sum(t1.v) s from {text} group by t0.g"
    shown = ", ".join(f"t{i}.id i{i}, t{i}.v v{i}" for i in range(len(names)) if rng.random() < 0.7)
    return f"select {shown or 't0.k'} from {text}"


def random_tree(rng: random.Random, edges: list[set[int]], count: int) -> Tree:
    """Joins what is connected, two at a time, until one is left."""
    parts: list[tuple[Tree, frozenset[int]]] = [(i, frozenset([i])) for i in range(count)]
    while len(parts) > 1:
        a, b = rng.choice(
            [
                (a, b)
                for a in parts
                for b in parts
                if a is not b and any(edge & a[1] and edge & b[1] for edge in edges)
            ]
        )
        parts = [p for p in parts if p is not a and p is not b]
        parts.append(((a[0], b[0]), a[1] | b[1]))
    return parts[0][0]


@pytest.mark.parametrize("seed", [1, *(pytest.param(s, marks=pytest.mark.soak) for s in (2, 3, 4))])
def test_any_order_gives_what_batch_spark_gives(
    session: SparkSession,
    tables: Tables,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    rng = random.Random(seed)
    tables.as_sources()
    queries = {f"q{i}": random_query(rng) for i in range(8)}

    def orders(view: str) -> list[object]:
        (query,) = capture.read(jvm.Capture([session.sql(queries[view])]).description)
        assert query.root is not None
        return [
            random_tree(rng, [{m.input for m in c} for c in found.classes], len(found.inputs))
            for found in regions(query.root)
        ]

    begun = {view: orders(view) for view in queries}
    monkeypatch.setattr(program, "orders_of", lambda *_: Ordering(begun=begun))
    location = str(tmp_path / "checkpoint")
    p = gs.pipeline(session, location)
    for name, text in queries.items():
        p.view(name, session.sql(text))
    planned = p.program.planned()
    taken = [c for choices in planned.orders.values() for c in choices if c.order is not None]
    assert len(taken) >= 4
    query = p.start()
    changes = Random(seed)
    epochs = [feed(tables, changes.step(), query) for _ in range(4)]
    query.stop()
    assert_epochs_equal_batch(session, location, tables, queries, epochs, begun)


@pytest.mark.parametrize(("first", "then"), [("written", "cost"), ("cost", "written")])
def test_a_view_that_is_there_keeps_its_order_and_its_states(
    session: SparkSession, tables: Tables, tmp_path: Path, first: str, then: str
) -> None:
    tables.as_sources()
    location = str(tmp_path / "checkpoint")
    changes = Random(1)

    def run(order: str, *more: str) -> tuple[tuple[str, ...], definition.Definition]:
        p = gs.pipeline(session, location, joinOrder=order)
        for name in ("wide", *more):
            p.view(name, session.sql(WIDE))
        states = p.program.planned().dataflow().states
        query = p.start()
        feed(tables, changes.step(), query)
        query.stop()
        found = definition.load(jvm.JvmFolder.open(session, location).child(FOLDER))
        assert found is not None
        return states, found

    before, began = run(first)
    after, going = run(then)
    assert after == before
    assert going.views == began.views
    assert going.orders == began.orders
    assert bool(began.orders) == (first == "cost")  # so the two are not the same order
    together, both = run(then, "again")  # a new view gets the order that is asked for
    assert set(before) < set(together)
    assert both.views["wide"] == began.views["wide"] != both.views["again"]
    p = gs.pipeline(session, location, joinOrder="cost").view("wide", session.sql(WIDE))
    text = p.program.planned().explain(cost=True)
    assert text.count("rows expected") == 3
    assert "rows expected, it has none yet" not in text
    assert ("as written, taken: " in text) == (first == "written")
    assert "  cheapest" in text
    tables.as_batch(2)
    wanted = bags({"wide": session.sql(WIDE), "again": session.sql(WIDE)})
    found = bags(gs.read_views(session, location))
    for name in wanted:
        assert_same(found[name], wanted[name], name)
