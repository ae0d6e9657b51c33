"""Writes to several tables that one barrier takes: all of them or none, for every reader."""

from __future__ import annotations

import os
import random
import shutil
import threading
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from incremental.searching import SEED

ROW = "id bigint, x bigint"


def defined(spark: SparkSession, location: Path, **options: object) -> gs.Pipeline:
    """Tables ``a`` and ``b``, and the sum and the number of all their rows."""
    p = gs.pipeline(spark, str(location), **options)
    both = p.table("a", ROW, key="id").df.unionAll(p.table("b", ROW, key="id").df)
    return p.view("total", both.selectExpr("coalesce(sum(x), 0) AS x", "count(*) AS n"))


def total(spark: SparkSession, location: Path, epoch: int | None = None) -> list[tuple[int, int]]:
    found = gs.read_view(spark, str(location), "total", epoch).collect()
    return [(row.x, row.n) for row in found]


def test_writes_of_a_transaction_are_taken_at_one_barrier(
    session: SparkSession, tmp_path: Path
) -> None:
    told: list[tuple[int, set[str]]] = []

    def sink(changes: DataFrame, epoch: int) -> None:
        told.append((epoch, {row._change_type for row in changes.collect()}))

    p = defined(session, tmp_path / "p")
    query = p.start()
    with query.transaction() as t:
        t.insert("a", [(1, -10), (2, 5)])
        t.upsert("b", [(1, 10)])
        t.delete("a", [(2,)])
        t.change("b", [(3, 0, True)], "gone")
        assert t.state == "open" and "writes a, b" in repr(t)
    query.processAllAvailable()
    (done,) = [each for each in query.recentProgress if each["inputRows"]]
    assert done["sources"] == {"a": 3, "b": 2}
    assert total(session, tmp_path / "p") == [(0, 2)]
    assert t.state == "committed"
    with pytest.raises(gs.IllegalState, match="the transaction is committed; begin another"):
        t.insert("a", [(1, 1)])
    query.stop()
    with p.transaction() as t:  # nothing runs now: the next start takes it
        t.insert("a", [(7, 1)])
        t.insert("b", [(7, 2)])
    assert total(session, tmp_path / "p") == [(0, 2)]
    p.start(availableNow=True).awaitTermination()
    assert total(session, tmp_path / "p") == [(3, 4)]


@pytest.mark.rest
def test_a_transaction_that_fails_leaves_nothing(session: SparkSession, tmp_path: Path) -> None:
    p = defined(session, tmp_path)
    t = p.transaction()

    def divides() -> None:
        with t:
            t.insert("a", [(1, 1)])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        divides()
    assert t.state == "rolled back"
    t = p.transaction()
    t.insert("a", [(1, 1)])
    with pytest.raises(gs.SourceError):
        t.insert("b", [(None, 1)])
    assert t.state == "failed"
    with pytest.raises(gs.IllegalState, match="can only be rolled back"):
        t.insert("b", [(1, 1)])
    with pytest.raises(gs.IllegalState, match=r"cannot commit: an earlier write .*null"):
        t.commit()
    assert t.state == "rolled back"
    gs.table(session, str(tmp_path), "a").insert([(5, 5)])
    p.start(availableNow=True).awaitTermination()
    assert total(session, tmp_path) == [(5, 1)]
    assert not list((tmp_path / "groundswell" / "transactions").rglob("*"))


@pytest.mark.rest
def test_a_write_after_a_commit_comes_after_it(session: SparkSession, tmp_path: Path) -> None:
    """Their files are moved when the barrier begins, which is later than the last write."""
    p = defined(session, tmp_path)
    a = gs.table(session, str(tmp_path), "a")
    with gs.transaction(session, str(tmp_path)) as t:
        t.insert("a", [(1, 100), (2, 100), (3, 100)])
        a.upsert([(1, 1)])  # counts before the commit
    a.upsert([(2, 2)])
    with gs.transaction(session, str(tmp_path)) as t:
        t.upsert("a", [(3, 3)])
    p.start(availableNow=True).awaitTermination()
    assert total(session, tmp_path) == [(105, 3)]


@pytest.mark.rest
def test_a_backup_has_all_of_a_transaction_or_nothing(
    session: SparkSession, tmp_path: Path
) -> None:
    home = tmp_path / "p" / "groundswell"
    p = defined(session, tmp_path / "p")
    gs.table(session, str(tmp_path / "p"), "a").insert([(5, 0)])
    p.start(availableNow=True).awaitTermination()
    with p.transaction() as t:
        t.insert("a", [(1, -10)])
        t.insert("b", [(1, 10)])
    (commit,) = (home / "transactions").glob("commit-*.json")
    staged = {part.parent: part for part in (home / "transactions").glob("*/*/part-*")}
    name = commit.name.removeprefix("commit-").removesuffix(".json").replace("-", "-t")
    first = min(staged)
    shutil.move(staged[first], home / "tables" / "a" / "rows" / f"{name}-00000.parquet")
    gs.backup(str(tmp_path / "p"), str(tmp_path / "half"))
    defined(session, tmp_path / "half").start(availableNow=True).awaitTermination()
    assert total(session, tmp_path / "half") == [(0, 1)], "a crash had left it half moved"
    p.start(availableNow=True).awaitTermination()
    assert total(session, tmp_path / "p") == [(0, 3)]


@pytest.mark.rest
def test_what_dead_transactions_staged_goes_after_a_day(
    session: SparkSession, tmp_path: Path
) -> None:
    from incremental.test_leftovers import leave

    folder = tmp_path / "groundswell" / "transactions"
    old = leave(folder / ("a" * 12) / "1-x" / "part-0.parquet", 1.1)
    then = old.stat().st_mtime
    os.utime(old.parent.parent, (then, then))
    new = leave(folder / ("b" * 12) / "1-x" / "part-0.parquet", 0.5)
    p = defined(session, tmp_path)
    late = p.transaction()
    late.insert("a", [(1, 1)])
    late._began -= 21 * 3600
    with pytest.raises(gs.IllegalState, match="began more than 20 hours ago"):
        late.commit()
    with p.transaction() as t:
        t.insert("a", [(1, 5)])
    p.start(availableNow=True).awaitTermination()
    assert total(session, tmp_path) == [(5, 1)]
    assert not old.exists() and new.exists()


@pytest.mark.rest
def test_sums_hold_at_every_epoch(session: SparkSession, tmp_path: Path) -> None:
    """Threads move amounts between two tables, some of them give up half-way."""
    print(f"GROUNDSWELL_SEED={SEED}")
    p = defined(session, tmp_path, retainEpochs=1000)
    query = p.start()
    failed: list[BaseException] = []

    def move(number: int) -> None:
        chance = random.Random(f"{SEED} {number}")
        spark, expected = session.newSession(), {}
        try:
            for turn in range(12):
                key, amount = number * 100 + chance.randrange(5), chance.randrange(1, 50)
                t = gs.transaction(spark, str(tmp_path))
                t.upsert("a", [(key, amount)])
                if chance.random() < 0.3:
                    t.upsert("a", [(key, amount * 2)])
                    amount *= 2
                t.upsert("b", [(key, -amount)])
                if chance.random() < 0.25:
                    t.rollback()
                else:
                    t.commit()
                    expected[key] = amount
                if turn % 5 == 4 and expected:
                    gone = chance.choice(sorted(expected))
                    with gs.transaction(spark, str(tmp_path)) as t:
                        t.delete("b", [(gone,)])
                        t.delete("a", [(gone,)])
                    del expected[gone]
            results[number] = expected
        except BaseException as e:  # noqa: BLE001
            failed.append(e)

    results: dict[int, dict[int, int]] = {}
    threads = [threading.Thread(target=move, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    query.processAllAvailable()
    assert not failed, failed
    newest = query.status["epoch"]
    sums = {epoch: total(session, tmp_path, epoch)[0][0] for epoch in range(newest + 1)}
    assert set(sums.values()) == {0}, sums
    assert newest > 5
    wanted = {k: v for each in results.values() for k, v in each.items()}
    assert total(session, tmp_path)[0][1] == 2 * len(wanted)
    print(f"{newest + 1} epochs, {len(wanted)} keys")
    query.stop()
