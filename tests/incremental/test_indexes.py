"""Shared indexes, delta joins over them, and lookups of single keys."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.errors import DefinitionChanged
from incremental.checking import assert_epochs_equal_batch, feed
from incremental.harness import Tables, Upserts, assert_same, bag, bags, five_tables, newest_commits
from incremental.indexed import INDEXES, QUERIES, SCHEMA, indexed


@pytest.fixture
def tables(session: SparkSession, tmp_path: Path) -> Tables:
    return five_tables(session, tmp_path, SCHEMA)


class Random:
    """Changes of all kinds in one epoch; values are few, so that keys meet."""

    def __init__(self, seed: int) -> None:
        print(f"seed {seed}")
        self.pick = random.Random(seed).choice
        self.changed: dict[int, dict[str, Any]] = {}
        self.next_id = 0

    def row(self, number: int) -> dict[str, Any]:
        return {
            "id": number,
            "k": self.pick([None, 0, 1, 2]),
            "g": self.pick([None, 0, 1, 2, 3]),
            "v": self.pick([None, 0.0, 1.0, 2.5]),
        }

    def step(self) -> dict[str, list[dict[str, Any]]]:
        step = {name: [self.upsert() for _ in range(self.pick([0, 2, 5]))] for name in "abd"}
        step["c"] = [c for _ in range(self.pick([0, 2, 4])) for c in self.change()]
        step["e"] = []
        for _ in range(self.pick([0, 1, 2])):
            self.next_id += 1
            step["e"].append(self.row(self.next_id))
        return step

    def upsert(self) -> dict[str, Any]:
        row = self.row(self.pick(range(6)))
        return {**row, "gone": True} if self.pick(range(4)) == 0 else row

    def change(self) -> Iterator[dict[str, Any]]:
        number = self.pick(range(5))
        old, new = self.changed.pop(number, None), self.row(number)
        if old is not None:
            yield {"_change_type": "delete", **old}
        if old is None or self.pick(range(3)):
            self.changed[number] = new
            yield {"_change_type": "insert", **new}


@pytest.mark.parametrize("seed", [1, *(pytest.param(s, marks=pytest.mark.soak) for s in (2, 3, 4))])
def test_delta_and_hash_joins_give_what_batch_spark_gives(
    session: SparkSession, tables: Tables, tmp_path: Path, seed: int
) -> None:
    changes = Random(seed)
    tables.as_sources()
    p = gs.pipeline(session, str(tmp_path / "checkpoint"), joins="delta")
    for name, text in QUERIES.items():
        p.view(name, session.sql(text))
    planned = indexed(p, session, *INDEXES).program.planned()
    for name in QUERIES:
        assert planned.deltas(name), name
    assert not any(op.KIND == "join" for op in planned.dataflow().operators)
    query = p.start()
    epochs = [feed(tables, changes.step(), query) for _ in range(5)]
    query.stop()
    place = tmp_path / "checkpoint"
    assert_epochs_equal_batch(session, place, tables, QUERIES, epochs, f"seed {seed}")


@pytest.mark.rest
def test_views_self_joins_and_renamed_columns(
    session: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    changes = Random(11)
    queries = {
        "sums": "select k, sum(v) s, count(*) n from a group by k",
        "over_view": "select b.id, sums.s from b join sums on b.k = sums.k where sums.n > 1",
        "self": "select x.id, y.id yid, x.v + y.v s from a x join a y on x.k = y.k and x.g < y.g",
        "renamed": "select x.aid, x.bg + 1 h, c.id cid from "
        "(select a.id aid, b.g bg from a join b on a.k = b.k) x join c on x.bg = c.g "
        "where x.aid + c.id > 2",
    }
    tables.as_sources()
    p = gs.pipeline(session, str(tmp_path / "checkpoint"))
    indexed(p, session, ("a", "k"), ("b", "k"), ("b", "g"), ("c", "g"))
    p.view("sums", session.sql(queries["sums"]))
    p.read("sums").createOrReplaceTempView("sums")
    p.index(p.read("sums"), "k", name="sums_k")
    for name in ("over_view", "self", "renamed"):
        p.view(name, session.sql(queries[name]))
        assert p.program.planned().deltas(name), name
    query = p.start()
    epochs = [feed(tables, changes.step(), query) for _ in range(4)]
    query.stop()
    assert_epochs_equal_batch(session, tmp_path / "checkpoint", tables, queries, epochs)


@pytest.mark.rest
def test_both_sides_of_a_pair_change_in_one_epoch(
    session: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    """-(a,r) +(b,r) +(a,r) would be right as a multiset and wrong for whoever keeps the last."""
    tables.as_sources()
    changes: list[tuple[Any, ...]] = []
    p = gs.pipeline(session, str(tmp_path / "checkpoint"), joins="delta")
    p.view(
        "pairs",
        session.sql("select a.id, a.v, b.id bid, b.v w from a join b on a.k = b.k"),
        lambda frame, _: changes.extend(tuple(r) for r in frame.collect()),
    )
    query = indexed(p, session, ("a", "k"), ("b", "k")).start()
    row = {"id": 1, "k": 1, "g": 0, "v": 1.0}
    feed(tables, {"a": [row], "b": []}, query)
    feed(tables, {"a": [{**row, "v": 2.0}], "b": [{**row, "id": 7}]}, query)
    assert changes == [(1, 2.0, 7, 1.0, "insert")]
    feed(tables, {"a": [{**row, "v": 3.0}], "b": [{**row, "id": 7, "v": 4.0}]}, query)
    assert changes[1:] == [
        (1, 2.0, 7, 1.0, "update_preimage"),
        (1, 3.0, 7, 4.0, "update_postimage"),
    ]
    query.stop()


@pytest.mark.rest
def test_queries_over_the_same_indexes_keep_no_second_copy(
    session: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    tables.as_sources()
    sizes = {}
    step = Random(3)
    rows = [{"id": i, "k": i % 40, "g": i % 7, "v": i / 2} for i in range(400)]
    for joins in ("hash", "delta"):
        p = gs.pipeline(session, str(tmp_path / joins), joins=joins)
        for i in range(4):
            text = f"select a.id, b.id bid, a.v from a join b on a.k = b.k where a.g = {i}"
            p.view(f"v{i}", session.sql(text))
        indexed(p, session, ("a", "k"), ("b", "k"))
        flow = p.program.planned().dataflow()
        kept = [s for s in flow.states if s.startswith(("join-", "index-"))]
        assert len(kept) == {"hash": 4 + 2, "delta": 2}[joins], kept
        query = p.start()
        if joins == "hash":
            feed(tables, {"a": rows, "b": rows, **{n: step.step()[n] for n in "c"}}, query)
        else:
            query.processAllAvailable()
        query.stop()
        commits = newest_commits(tmp_path / joins)
        sizes[joins] = {
            kind: sum(c.bytes for s in kept if s.startswith(kind) for c in commits[s])
            for kind in ("join", "index")
        }
        tables.as_batch()
        pairs = "select a.id, b.id bid, a.v from a join b on a.k = b.k where a.g = {}"
        wanted = bags({f"v{i}": session.sql(pairs.format(i)) for i in range(4)})
        found = bags(gs.read_views(session, str(tmp_path / joins)))
        for name in wanted:
            assert_same(found[name], wanted[name], name)
        tables.as_sources()
    assert sizes["delta"]["join"] == 0
    assert 0 < sizes["delta"]["index"] < sizes["hash"]["join"]


@pytest.mark.rest
def test_an_index_added_later_is_filled_and_chosen(
    session: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    changes = Random(5)
    tables.as_sources()
    location = str(tmp_path / "checkpoint")
    pairs = "select a.*, b.id bid, b.g bg, b.v bv from a join b on a.k = b.k"
    counts = "select a.g, count(*) n from a join b on a.k = b.k group by a.g"
    p = gs.pipeline(session, location)
    p.view("pairs", session.sql(pairs))
    query = p.start()
    for _ in range(2):
        feed(tables, changes.step(), query)
    query.stop()
    indexed(p, session, ("a", "k"), ("b", "k"))
    p.view("counts", session.sql(counts))
    query = p.start()
    assert p.program.planned().deltas("pairs")
    for _ in range(3):
        feed(tables, changes.step(), query)
    query.stop()
    planned = p.program.planned()
    assert 0 < planned.statistics["a_k"].keys <= planned.statistics["a_k"].rows <= 6
    views = gs.read_views(session, location)
    tables.as_batch()
    assert_same(bag(views["pairs"]), bag(session.sql(pairs)), "pairs")
    assert_same(bag(views["counts"]), bag(session.sql(counts)), "counts")


@pytest.mark.rest
@pytest.mark.parametrize(
    "text",
    [
        "select * from l full join r on l.k = r.k2 order by y, x, id, rid limit 6",
        "select count(distinct id) a, count(distinct k) b, count(distinct x) c, "
        "count(distinct rid) d, count(distinct k2) e, count(distinct y) f "
        "from l right join r on l.k = r.k2",
    ],
    ids=["full", "right"],
)
def test_what_is_kept_of_a_join_that_becomes_a_delta_join_is_read_as_it_was_written(
    session: SparkSession, tmp_path: Path, text: str
) -> None:
    tables = Tables(
        Upserts(session, tmp_path, "l", "id bigint, k bigint, x string", "id"),
        Upserts(session, tmp_path, "r", "rid bigint, k2 bigint, y string", "rid"),
    )
    location = str(tmp_path / "checkpoint")
    for first, joins in (0, "hash"), (3, "delta"):
        tables.as_sources()
        p = gs.pipeline(session, location, joins=joins, partitions=2)
        p.view("v", session.sql(text))
        query = indexed(p, session, ("l", "k"), ("r", "k2")).start()
        step = {
            "l": [{"id": i, "k": i % 3, "x": "xyz"[i % 2]} for i in range(first, first + 5)],
            "r": [{"rid": -i, "k2": i % 4 + 1, "y": "abc"[i % 3]} for i in range(first, first + 5)],
        }
        feed(tables, step, query)
        query.stop()
        tables.as_batch()
        assert_same(bag(gs.read_view(session, location, "v")), bag(session.sql(text)), joins)


@pytest.mark.rest
def test_terms_with_the_same_way_before_them_go_it_together(
    session: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    tables.as_sources()
    p = gs.pipeline(session, str(tmp_path / "checkpoint"), joins="delta")
    p.view("five", session.sql(QUERIES["five"]))
    planned = indexed(p, session, *INDEXES).program.planned()
    (join,) = planned.deltas("five").values()
    lookups = sum(op.KIND == "lookup" for op in planned.dataflow().operators)
    assert lookups < sum(len(term.chain.steps) for term in join.terms)
    p = gs.pipeline(session, str(tmp_path / "star"), joins="delta")
    p.view(
        "one_key",
        session.sql("select a.id, b.id bid, e.v from a join b using (k) join e using (k)"),
    )
    planned = indexed(p, session, ("a", "k"), ("b", "k"), ("e", "k")).program.planned()
    operators = planned.dataflow().operators
    assert [op.KIND for op in operators].count("union") == 1  # nothing moves, so nothing meets
    assert [op.KIND for op in operators].count("lookup") == 6


@pytest.mark.rest
def test_a_key_with_very_many_rows_is_shared_by_all_tasks(
    session: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    tables.as_sources()
    location = str(tmp_path / "checkpoint")
    text = "select d.id, d.v w, a.id aid, b.id bid from d join a on d.id = a.k join b on a.g = b.k"
    p = gs.pipeline(session, location, joins="delta", hotKeyRows=1500, partitions=3)
    p.view("pairs", session.sql(text))
    indexed(p, session, ("d", "id"), ("a", "k"), ("a", "g"), ("b", "k"))
    query = p.start()
    many = [{"id": i, "k": 7 if i < 3000 else i % 500, "g": i % 9, "v": 1.0} for i in range(4000)]
    few = [{"id": i, "k": i, "g": i, "v": 2.0} for i in range(20)]
    feed(tables, {"a": many, "b": few, "d": few}, query)
    query.stop()
    assert len(p.program.planned().statistics["a_k"].hot) == 1
    assert "1 hot keys" in p.program.planned().explain()
    query = p.start()
    step: dict[str, list[dict[str, Any]]] = {
        "d": [{**few[7], "v": 3.0}, {**few[8], "v": 4.0}],
        "a": [{**many[0], "k": 8}, {**many[1], "gone": True}, {**many[2], "g": 3}]
        + [{"id": 5000 + i, "k": 7, "g": 2, "v": 0.0} for i in range(30)],
        "b": [{**few[4], "k": 5}],
    }
    epoch = feed(tables, step, query)
    query.stop()
    tables.as_batch()
    view = gs.read_views(session, location, epoch=epoch)["pairs"]
    assert_same(bag(view), bag(session.sql(text)), "pairs")


@pytest.mark.rest
def test_rows_that_are_not_kept_cannot_be_indexed_later(
    session: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    tables.as_sources()
    p = gs.pipeline(session, str(tmp_path / "checkpoint"))
    p.view("sums", session.sql("select k, sum(v) s from e group by k"))
    query = p.start()
    feed(tables, {"e": [{"id": 1, "k": 1, "g": 1, "v": 1.0}]}, query)
    query.stop()
    indexed(p, session, ("e", "k"))
    with pytest.raises(DefinitionChanged, match="index e_k cannot be filled"):
        p.start()
