"""Indexes that a pipeline makes by itself, where two joins need one table by one key."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.checking import assert_epochs_equal_batch, feed
from incremental.harness import Tables, five_tables
from incremental.test_indexes import SCHEMA, Random

pytestmark = pytest.mark.rest

TWO = {
    "ab": "select a.id, b.id bid, a.v + b.v s from a join b on a.k = b.k",
    "ac": "select a.id, c.id cid, c.g from a left join c on a.k = c.k",
}


@pytest.fixture
def tables(session: SparkSession, tmp_path: Path) -> Tables:
    return five_tables(session, tmp_path, SCHEMA)


def pipeline(
    session: SparkSession, location: Path, queries: Mapping[str, str], **options: object
) -> gs.Pipeline:
    p = gs.pipeline(session, str(location), partitions=2, **options)
    for name, text in queries.items():
        p.view(name, session.sql(text))
    return p


def made(p: gs.Pipeline) -> dict[str, tuple[str, ...]]:
    """The views that use each of them."""
    return {name: each.views for name, each in p.program.planned().using().items()}


@pytest.mark.parametrize(
    ("other", "indexes"),
    [
        (TWO["ac"], {
            "auto_a_by_k": ("one", "two"), "auto_b_by_k": ("one",), "auto_c_by_k": ("two",),
        }),
        ("select a.id, c.id cid from a join c on a.g = c.g", {}),  # by another key
        ("select b.id, a.id aid, a.g from b join a on a.k = b.k where b.v > 0", {
            "auto_a_by_k": ("one", "two"), "auto_b_by_k": ("one", "two"),
        }),
        # Of the four copies three would be of few rows: an index keeps them all.
        ("select a.id, c.id cid from a join c on a.k = c.k where a.g = 1 and c.g = 2", {}),
        ("select b.id, max(a.v) m from a join b on a.k = b.k and a.g = b.g group by b.id", {}),
    ],
)  # fmt: skip
def test_where_two_joins_need_one_table(
    session: SparkSession,
    tables: Tables,
    tmp_path: Path,
    other: str,
    indexes: dict[str, tuple[str, ...]],
) -> None:
    tables.as_sources()
    queries = {"one": TWO["ab"], "two": other}
    assert made(pipeline(session, tmp_path / "c", queries, indexes="auto")) == indexes
    assert made(pipeline(session, tmp_path / "c", queries)) == {}
    assert made(pipeline(session, tmp_path / "c", queries, indexes="auto", joins="hash")) == {}


def test_one_that_was_asked_for_is_not_made_again(
    session: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    tables.as_sources()
    p = pipeline(session, tmp_path / "c", TWO, indexes="auto")
    p.index(session.table("a"), "k", name="own")
    assert set(made(p)) == {"auto_b_by_k", "auto_c_by_k"}
    assert "made by itself: several joins need it" in p.program.planned().explain()


@pytest.mark.parametrize(
    ("seed", "kind"),
    [
        (1, "left join"),
        *(
            pytest.param(seed, kind, marks=pytest.mark.soak)
            for seed, kind in enumerate(["join", "full join", "left semi join"], 2)
        ),
    ],
)
def test_views_equal_their_queries_over_restarts_until_the_last_user_goes(
    session: SparkSession, tables: Tables, tmp_path: Path, seed: int, kind: str
) -> None:
    changes = Random(seed)
    tables.as_sources()
    columns = "a.id, a.v" if "semi" in kind else "a.id aid, c.id cid, c.v w"
    queries = {"ab": TWO["ab"], "other": f"select {columns} from a {kind} c on a.k = c.k"}
    location = tmp_path / "checkpoint"
    epochs, states = [], set[str]()
    for options in ({"indexes": "auto"}, {}):  # the second start goes on with what the first made
        p = pipeline(session, location, queries, **options)
        assert len(made(p)) == 3
        found = set(p.program.planned().dataflow().states)
        assert not any(state.startswith("join-") for state in found)
        assert states in (set(), found)
        states = found
        query = p.start()
        epochs += [feed(tables, changes.step(), query) for _ in range(2)]
        query.stop()
    assert_epochs_equal_batch(session, location, tables, queries, epochs, f"seed {seed}")

    tables.as_sources()
    rest = {"other": queries["other"]}
    p = pipeline(session, location, rest, indexes="auto").drop("ab")
    assert set(made(p)) == {"auto_a_by_k", "auto_c_by_k"}
    query = p.start()
    epochs.append(feed(tables, changes.step(), query))
    query.stop()
    assert_epochs_equal_batch(session, location, tables, rest, epochs, f"seed {seed}")


def test_a_view_that_is_there_keeps_its_plan_until_it_is_asked_to_take_another(
    session: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    changes = Random(6)
    tables.as_sources()
    location = tmp_path / "checkpoint"
    ab = {"ab": TWO["ab"]}
    query = pipeline(session, location, ab).start()
    epochs = [feed(tables, changes.step(), query)]
    query.stop()
    tables.as_sources()
    p = pipeline(session, location, TWO, indexes="auto")
    assert made(p) == {}, "one new join alone needs no index"
    before = set(p.program.planned().dataflow().states)
    query = p.start()
    epochs.append(feed(tables, changes.step(), query))
    found = query.reoptimize("ab", "ac")
    epochs.append(feed(tables, changes.step(), query))
    query.stop()
    tables.as_sources()
    after = set(pipeline(session, location, TWO).program.planned().dataflow().states)
    print(*found, sep="\n")
    assert {state for state in after if state.startswith("index-")}
    assert not any(state.startswith("join-") for state in after), after - before
    assert_epochs_equal_batch(session, location, tables, ab, epochs)
