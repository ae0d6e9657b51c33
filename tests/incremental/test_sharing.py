"""Joins that are written differently share a state; what is there keeps the form it began with."""

import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell import jvm
from groundswell.runtime.planning.planned import PlannedViews
from groundswell.runtime.record import definition
from groundswell.runtime.record.location import FOLDER
from incremental.checking import assert_epochs_equal_batch
from incremental.harness import Tables, assert_same, bags, five_tables
from incremental.test_indexes import SCHEMA, Random, feed


@pytest.fixture
def tables(session: SparkSession, tmp_path: Path) -> Tables:
    return five_tables(session, tmp_path, SCHEMA)


def joins(planned: PlannedViews) -> list[str]:
    return [s for s in planned.dataflow().states if s.startswith("join-")]


def planned(session: SparkSession, location: str, queries: Mapping[str, str]) -> PlannedViews:
    p = gs.pipeline(session, location, sharing="canonical")
    for name, text in queries.items():
        p.view(name, session.sql(text))
    return p.program.planned()


BASE = "select a.id, b.id bid, a.v from a join b on a.k = b.k"


@pytest.mark.parametrize(
    ("other", "states"),
    [
        ("select a.id, b.id bid, a.v from b join a on a.k = b.k", 1),  # commuted
        ("select b.g, a.g ag from b, a where a.k = b.k", 1),  # other columns
        (f"{BASE} where a.g = 1", 1),  # a filter on one side
        (f"{BASE} where b.v > 1 and a.g = 1 and a.v < b.v", 1),  # on both, and between them
        ("select a.g, count(*) n from a join b on a.k = b.k group by a.g", 1),
        ("select b.g from a join b on a.k = b.k join c on b.g = c.g where a.v > 0", 2),  # a part
        (f"{BASE} and a.g = b.g", 2),  # another key
        ("select a.id, b.id bid, a.v from a left join b on a.k = b.k", 2),  # another kind
        (f"{BASE} where 1 / a.g > 0", 2),  # may fail on rows that match nothing
    ],
)
def test_the_number_of_states(
    session: SparkSession, tables: Tables, tmp_path: Path, other: str, states: int
) -> None:
    tables.as_sources()
    queries = {"base": BASE, "other": other}
    found = planned(session, str(tmp_path / "checkpoint"), queries)
    assert len(joins(found)) == states
    shared = states == 1 or "join c" in other
    assert ("  shared by: base, other" in found.explain()) == shared
    if "left" not in other:
        written = gs.pipeline(session, str(tmp_path / "written"))
        for name, text in queries.items():
            written.view(name, session.sql(text))
        assert len(joins(written.program.planned())) > 1


def test_filters_stay_below_a_join_that_nobody_has_without_them(
    session: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    tables.as_sources()
    queries = {
        "one": "select a.id, b.id bid from a join b on a.k = b.k where a.g = 1 and a.v > 0",
        "same": "select b.v, a.id from b join a on a.k = b.k where a.v > 0 and a.g = 1",
        "two": "select a.id, b.id bid from a join b on a.k = b.k where a.g = 2",
    }
    found = planned(session, str(tmp_path / "checkpoint"), queries)
    assert len(joins(found)) == 2
    assert not any(form.lifted for forms in found.forms.values() for form in forms)


def phrased(rng: random.Random, edges: list[tuple[int, str, int, str]], names: list[str]) -> str:
    """One of the many ways to write a join."""
    todo, at = list(edges), {rng.randrange(len(names))}
    text = f"{names[min(at)]} t{min(at)}"
    while todo:
        edge = rng.choice([e for e in todo if {e[0], e[2]} & at])
        ends = {edge[0], edge[2]}
        new = (ends - at).pop() if ends - at else None
        assert new is not None
        now = [e for e in todo if {e[0], e[2]} <= at | {new}]
        rng.shuffle(now)
        equal = [(f"t{a}.{x}", f"t{b}.{y}") for a, x, b, y in now]
        on = " and ".join(" = ".join(rng.sample(pair, 2)) for pair in equal)
        text += f" join {names[new]} t{new} on {on}"
        todo = [e for e in todo if e not in now]
        at.add(new)
    where = [
        f"t{i}.{rng.choice(['v > 0', 'g = 1', 'k < 2', 'v is not null'])}"
        for i in range(len(names))
        if rng.random() < 0.3
    ]
    if rng.random() < 0.3:
        where.append(f"t0.v {rng.choice(['<', '<>'])} t{len(names) - 1}.v")
    rng.shuffle(where)
    text += f" where {' and '.join(where)}" if where else ""
    if rng.random() < 0.3:
        return f"select t0.g, count(*) n, sum(t1.v) s from {text} group by t0.g"
    columns = [f"t{i}.{c} {c}{i}" for i in range(len(names)) for c in ("id", "v", "g")]
    return f"select {', '.join(rng.sample(columns, rng.randint(1, len(columns))))} from {text}"


def random_family(rng: random.Random, size: int) -> list[str]:
    names = [rng.choice("abcde") for _ in range(rng.randint(2, 4))]
    edges = [
        (at, rng.choice("kg"), rng.randrange(at), rng.choice(["k", "g", "id"]))
        for at in range(1, len(names))
    ]
    found = [phrased(rng, edges, names) for _ in range(size)]
    if len(names) > 2:  # a part of it, too
        found.append(phrased(rng, edges[:1], names[:2]))
    return found


@pytest.mark.parametrize(
    ("seed", "families"),
    [(1, 1), *(pytest.param(seed, 3, marks=pytest.mark.soak) for seed in (2, 3, 4))],
)
def test_shared_joins_give_what_batch_spark_gives(
    session: SparkSession, tables: Tables, tmp_path: Path, seed: int, families: int
) -> None:
    rng = random.Random(seed)
    tables.as_sources()
    texts = [text for _ in range(families) for text in random_family(rng, 3)]
    queries = {f"q{i}": text for i, text in enumerate(texts)}
    location = str(tmp_path / "checkpoint")
    p = gs.pipeline(session, location, sharing="canonical")
    apart = gs.pipeline(session, str(tmp_path / "apart"))
    for name, text in queries.items():
        p.view(name, session.sql(text))
        apart.view(name, session.sql(text))
    assert len(joins(p.program.planned())) < len(joins(apart.program.planned()))
    query = p.start()
    changes = Random(seed)
    epochs = [feed(tables, changes.step(), query) for _ in range(1 + families)]
    query.stop()
    assert_epochs_equal_batch(session, location, tables, queries, epochs)


OTHER = "select b.id bid, a.id, a.g, b.v from b join a on b.k = a.k where a.v > 0"


@pytest.mark.parametrize(
    ("first", "then"),
    [("written", "canonical"), pytest.param("canonical", "written", marks=pytest.mark.rest)],
)
def test_a_view_that_is_there_keeps_its_form_and_its_states(
    session: SparkSession, tables: Tables, tmp_path: Path, first: str, then: str
) -> None:
    tables.as_sources()
    location = str(tmp_path / "checkpoint")
    changes = Random(1)
    asked = {
        "base": BASE,
        "other": OTHER,
        "plain": "select id, g from b",
        "narrow": "select b.id bid from b join a on b.k = a.k where a.v > 1",
        "wide": f"select b.g bg, {BASE[7:]}",
    }

    def run(sharing: str, *names: str) -> tuple[set[str], definition.Definition]:
        p = gs.pipeline(session, location, sharing=sharing)
        for name in names:
            p.view(name, session.sql(asked[name]))
        kept = definition.load(jvm.JvmFolder.open(session, location).child(FOLDER))
        for name in set(kept.views if kept else ()) - set(names):
            p.drop(name)
        states = set(joins(p.program.planned()))
        query = p.start()
        feed(tables, changes.step(), query)
        query.stop()
        found = definition.load(jvm.JvmFolder.open(session, location).child(FOLDER))
        assert found is not None
        return states, found

    before, began = run(first, "base", "other", "plain")
    assert len(before) == (1 if first == "canonical" else 2)
    assert bool(began.forms) == (first == "canonical")
    after, going = run(then, "base", "other", "plain")
    assert after == before
    assert going.views == began.views
    assert going.forms == began.forms
    if first == "canonical":
        shared, _ = run(first, "base", "other", "plain", "narrow")
        assert shared == before  # what is kept is enough for it
        wider, both = run(first, "base", "other", "plain", "narrow", "wide")
        assert wider > before  # but not for this one
        names = ["other", "plain", "wide"]
        left, last = run(first, *names)
        assert left == wider
        assert {name: last.views[name] for name in names} == {n: both.views[n] for n in names}
    else:
        names = ["base", "other", "plain", "narrow", "wide"]
        together, both = run(then, *names)
        assert before < together
        assert len(together) == len(before) + 1
        assert both.views["base"] == began.views["base"]
    tables.as_batch(-1)
    wanted = bags({name: session.sql(asked[name]) for name in names})
    found = bags(gs.read_views(session, location))
    for name in names:
        assert_same(found[name], wanted[name], name)
