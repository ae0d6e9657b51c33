"""How joins are planned where there are indexes, and what explain shows of it."""

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.catalog.change import SetOption
from groundswell.errors import ConfigurationError
from groundswell.plan.indexes import Statistics
from incremental.harness import Tables, five_tables
from incremental.indexed import QUERIES, SCHEMA, indexed


@pytest.fixture
def tables(session: SparkSession, tmp_path: Path) -> Tables:
    return five_tables(session, tmp_path, SCHEMA)


def test_explain_names_the_indexes_and_who_shares_them(
    session: SparkSession, tables: Tables, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables.as_sources()
    p = gs.pipeline(session, str(tmp_path / "checkpoint"))
    for name in ("two", "chain"):
        p.view(name, session.sql(QUERIES[name]))
    indexed(p, session, ("a", "k"), ("b", "k"), ("b", "g"), ("c", "g"), ("d", "id"))
    p.explain()
    text = capsys.readouterr().out
    assert "Index a_k on a by (k)" in text
    assert "used by: two, chain" in text
    assert "used by: no view" in text
    assert "changes of a (by a_k) -> b_k (new" in text
    assert "shuffled to c_g (new" in text
    assert "changes of c (by c_g) -> b_g (old" in text


def test_a_join_without_indexes_stays_a_hash_join(
    session: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    tables.as_sources()
    p = gs.pipeline(session, str(tmp_path / "checkpoint"))
    p.view("chain", session.sql(QUERIES["chain"]))
    indexed(p, session, ("a", "k"), ("b", "k"))  # c has none
    ops = [op.KIND for op in p.program.planned().dataflow().operators]
    assert ops.count("join") == 1
    assert ops.count("lookup") == 2  # a with b
    p.program.apply(SetOption("joins", "delta"))
    with pytest.raises(ConfigurationError, match="cannot be a delta join"):
        p.start()
    assert not (tmp_path / "checkpoint" / "groundswell").exists()


def test_statistics_decide_between_hash_and_delta_joins(
    session: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    tables.as_sources()
    p = gs.pipeline(session, str(tmp_path / "checkpoint"))
    p.view("chain", session.sql(QUERIES["chain"]))
    indexed(p, session, ("a", "k"), ("b", "k"), ("b", "g"), ("c", "g"))
    planned = p.program.planned()
    assert "no statistics of them yet" in planned.explain()
    many = {"b_k": Statistics(1e6, 1e6), "b_g": Statistics(1e6, 1e3), "c_g": Statistics(1e6, 1e3)}
    whole = replace(planned, statistics={**many, "a_k": Statistics(1e6, 1e6)})
    few = replace(planned, statistics={**many, "a_k": Statistics(10, 10)})
    (join,) = whole.deltas("chain").values()
    assert len(join.leaves) == 3
    assert "Hash joins" not in whole.explain()
    # the rows of a and b that meet are few to keep, and b has many rows of a key of c
    (join,) = few.deltas("chain").values()
    assert len(join.leaves) == 2
    assert "Hash joins for Join inner" in few.explain()
    kept = replace(few, kept_views=frozenset({"chain"}))
    (join,) = kept.deltas("chain").values()
    assert len(join.leaves) == 3
    assert "hash joins have no state" in kept.explain()
    assert replace(few, joins="delta").deltas("chain")


def test_what_cannot_be_indexed_is_refused(
    session: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    tables.as_sources()
    p = gs.pipeline(session, str(tmp_path / "checkpoint"))
    with pytest.raises(ConfigurationError, match="only a source, a table or a view"):
        p.index(session.sql("select k, count(*) n from a group by k"), "k")
    with pytest.raises(ConfigurationError, match="a has id, k, g, v"):
        p.index(session.table("a"), "nothing")
    with pytest.raises(ConfigurationError, match="two indexes are named"):
        p.index(session.table("a"), "k").index(session.table("a"), "k")


def test_default_names_of_indexes_on_two_tables_differ(
    session: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    tables.as_sources()
    p = gs.pipeline(session, str(tmp_path / "p"))
    p.index(session.table("a"), "k").index(session.table("b"), "k").index(session.table("b"), "g")
    assert list(p.program.catalog.indexes) == ["index_a_k", "index_b_k", "index_b_g"]


def test_explain_shows_no_state_of_joins_that_read_indexes(
    session: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    tables.as_sources()
    p = gs.pipeline(session, str(tmp_path / "p"))
    p.view("v", session.sql("select a.id, b.id bid from a join b using (k)"))
    by_hash = p.program.planned().explain()
    assert "state: left by (a.k | id); right by (b.k | id)" in by_hash
    text = indexed(p, session, ("a", "k"), ("b", "k")).program.planned().explain()
    assert "left by" not in text and "state: none, it reads indexes" in text
    assert "Delta join for Join inner on a.k = b.k" in text and "Hash joins" not in text


@pytest.mark.parametrize(
    ("query", "why"),
    [
        (
            "select a.id, b.id bid from a join b using (k)",
            "b has no index on columns of the join; add pipeline.index(b, 'k'), "
            "or CREATE INDEX i ON b (k)",
        ),
        (
            "select a.id, n from a join (select k, count(*) n from b group by k) using (k)",
            "make it a view, and index pipeline.read(view)",
        ),
        ("select a.id, b.id bid from a join b on a.k = b.k + 1", "is computed"),
        (
            "select a.id, c.v from a join c on a.k = c.k",
            "index slim of c does not have v",
        ),
    ],
)
def test_explain_says_why_a_join_is_no_delta_join(
    session: SparkSession, tables: Tables, tmp_path: Path, query: str, why: str
) -> None:
    tables.as_sources()
    p = gs.pipeline(session, str(tmp_path / "p"), joins="auto")
    p.view("v", session.sql(query))
    p.index(session.table("a"), "k")
    p.index(session.table("c").select("id", "k"), "k", name="slim")
    lines = p.program.planned().explain().splitlines()
    (line,) = [line for line in lines if line.startswith("Hash joins for Join inner on ")]
    assert why in line
