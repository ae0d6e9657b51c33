"""Point lookups of views, tables and indexes."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.errors import ConfigurationError
from groundswell.runtime.record import definition
from groundswell.runtime.record.pending_epochs import PendingEpochs
from incremental.checking import feed
from incremental.harness import Tables, five_tables
from incremental.indexed import SCHEMA, indexed


@pytest.fixture
def tables(session: SparkSession, tmp_path: Path) -> Tables:
    return five_tables(session, tmp_path, SCHEMA)


def test_lookups_of_views_and_indexes_start_no_job(
    session: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    tables.as_sources()
    location = str(tmp_path / "checkpoint")
    p = gs.pipeline(session, location)
    p.view("sums", session.sql("select k, sum(v) s from a group by k"))
    p.index(p.read("sums"), "s", name="by_s")
    indexed(p, session, ("e", "k"))
    p.index(session.table("a"), "k", "g", name="a_kg")
    query = p.start()
    rows = [{"id": i, "k": i % 3, "g": i % 2, "v": float(i)} for i in range(9)]
    feed(tables, {"a": rows, "e": rows}, query)
    query.stop()
    tracker = session.sparkContext.statusTracker()
    group = "lookups of this test"
    session.sparkContext.setJobGroup(group, group)
    assert [tuple(r) for r in gs.lookup(session, location, "sums", 1)] == [(1, 12.0)]
    assert gs.lookup(session, location, "sums", 8) == []
    assert {r.id for r in gs.lookup(session, location, "e_k", 2)} == {2, 5, 8}
    assert gs.lookup(session, location, "e_k", 2)[0].asDict().keys() == {"id", "k", "g", "v"}
    assert {r.id for r in gs.lookup(session, location, "a_kg", 1, 0)} == {4}
    assert {r.id for r in gs.lookup(session, location, "a_kg", 1)} == {1, 4, 7}
    assert [r.k for r in gs.lookup(session, location, "by_s", 15.0)] == [2]
    assert gs.lookup(session, location, "e_k", None) == []
    assert list(tracker.getJobIdsForGroup(group)) == []
    session.sparkContext.setLocalProperty("spark.jobGroup.id", None)
    with pytest.raises(ConfigurationError, match=r"by \(k, g\), got the key \(1, 2, 3\)"):
        gs.lookup(session, location, "a_kg", 1, 2, 3)
    with pytest.raises(ConfigurationError, match=r"by \(k\), got the key \(\); .* add an index"):
        gs.lookup(session, location, "sums")
    with pytest.raises(ConfigurationError, match="no view or index 'none'"):
        gs.lookup(session, location, "none", 1)


@pytest.mark.rest
def test_each_name_of_an_index_is_found(
    session: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    tables.as_sources()
    location = str(tmp_path / "checkpoint")
    row = {"id": 7, "k": 1, "g": 2, "v": 1.0}
    shown = session.table("a").select("g", "k", "id")
    names = {"one": shown, "other": shown, "hides": shown.drop("id")}
    for step in range(2):
        p = gs.pipeline(session, location).view("v", session.table("a"))
        for name in list(names)[: step + 2]:
            p.index(names[name], "g", name=name)
        query = p.index(session.table("a"), ("k", "g")[step], name="moved").start()
        if step == 0:
            feed(tables, {"a": [row]}, query)
        query.stop()
        assert gs.lookup(session, location, "one", 2) == [(2, 1, 7)]
        assert gs.lookup(session, location, "other", 2) == [(2, 1, 7)]
        assert gs.lookup(session, location, "moved", step + 1) == [(7, 1, 2, 1.0)]
        assert gs.lookup(session, location, "moved", 2 - step) == []
    assert gs.lookup(session, location, "hides", 2) == [(2, 1)]


@pytest.mark.rest
def test_lookups_find_what_is_added_beside_them(
    session: SparkSession, tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables.as_sources()
    location = str(tmp_path / "checkpoint")
    row = {"id": 7, "k": 1, "g": 2, "v": 1.0}
    query = gs.pipeline(session, location).view("v", session.table("a")).start()
    feed(tables, {"a": [row]}, query)
    query.stop()
    p = gs.pipeline(session, location).view("v", session.table("a"))
    p.view("w", session.sql("select id, k from a"))
    added = [lambda: p.index(session.table("a"), "k", name="a_k").start().stop()]

    def beside(read: Any) -> Any:
        def reading(*args: Any) -> Any:
            found = read(*args)
            if added:
                added.pop()()
            return found

        return reading

    monkeypatch.setattr(definition, "load", beside(definition.load))
    monkeypatch.setattr(PendingEpochs, "newest", beside(PendingEpochs.newest))
    with pytest.raises(ConfigurationError, match="no view or index 'w' at epoch 0"):
        gs.lookup(session, location, "w", 7)
    assert not added
    assert gs.lookup(session, location, "w", 7) == [(7, 1)]
    assert gs.lookup(session, location, "a_k", 1) == [(7, 1, 2, 1.0)]
