"""The bank: whatever is transferred, the total in a view of views never changes."""

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs

pytestmark = pytest.mark.rest

ACCOUNTS, BRANCHES, START = 200, 7, 100


def transfers(folder: Path, barriers: int, seed: int) -> None:
    """One file a barrier; file 0 opens the accounts, each other one moves money between some."""
    rng = random.Random(seed)
    balances = dict.fromkeys(range(ACCOUNTS), START)
    for number in range(barriers):
        touched = set(balances) if number == 0 else set()
        for _ in range(5 if number else 0):
            a, b = rng.sample(range(ACCOUNTS), 2)
            amount = rng.randrange(50)
            balances[a] -= amount
            balances[b] += amount
            touched |= {a, b}
        lines = [
            json.dumps({"id": i, "branch": (i + number // 50) % BRANCHES, "balance": balances[i]})
            for i in sorted(touched)
        ]
        path = folder / f"{number:06d}.json"
        path.write_text("\n".join(lines) + "\n")
        os.utime(path, (number + 1, number + 1))  # Spark takes files by their times


def keep(session: SparkSession, tmp_path: Path, barriers: int, seed: int) -> list[Any]:
    folder = tmp_path / "accounts"
    folder.mkdir()
    transfers(folder, barriers, seed)
    stream = (
        session.readStream.schema("id bigint, branch int, balance bigint")
        .option("maxFilesPerTrigger", 1)
        .json(str(folder))
    )
    accounts = gs.upserts(stream, key="id", name="accounts")
    p = gs.pipeline(session, str(tmp_path / "c"), retainEpochs=barriers)
    p.view("branches", accounts.groupBy("branch").agg({"balance": "sum", "id": "count"}))
    p.createTempViews()
    p.view("rich", session.sql("select * from branches where `sum(balance)` >= 2900"))
    p.view("poor", session.sql("select * from branches where `sum(balance)` < 2900"))
    p.createTempViews()
    halves: list[Any] = []
    p.view(
        "bank",
        session.sql(
            "select sum(`sum(balance)`) total, sum(`count(id)`) n from "
            "(select * from rich union all select * from poor)"
        ),
        lambda changes, epoch: halves.append((epoch, [tuple(r) for r in changes.collect()])),
    )
    p.start(availableNow=True).awaitTermination()
    return halves


def check(session: SparkSession, tmp_path: Path, barriers: int) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    changes = keep(session, tmp_path, barriers, seed)
    assert changes[0] == (0, [(ACCOUNTS * START, ACCOUNTS, "insert")])
    assert [c for _, c in changes[1:]] == [[]] * (barriers - 1), "the total never changes"
    for epoch in range(0, barriers, barriers // 10):
        views = gs.snapshot(session, str(tmp_path / "c"), epoch)
        views.createTempViews()
        (total,) = session.sql(
            "select (select sum(`sum(balance)`) from branches), "
            "(select count(*) from rich) + (select count(*) from poor), (select total from bank)"
        ).collect()
        assert tuple(total) == (ACCOUNTS * START, BRANCHES, ACCOUNTS * START), epoch


def test_the_total_is_constant_at_every_barrier(session: SparkSession, tmp_path: Path) -> None:
    check(session, tmp_path, 100)


@pytest.mark.soak
def test_the_total_is_constant_at_a_thousand_barriers(
    session: SparkSession, tmp_path: Path
) -> None:
    check(session, tmp_path, 1000)


def test_half_of_all_rows_are_deleted_at_once(session: SparkSession, tmp_path: Path) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    accounts = p.table("accounts", "id bigint, branch int, balance bigint", key="id")
    p.view("branches", accounts.df.groupBy("branch").agg({"balance": "sum"}))
    p.view("bank", p.read("branches").groupBy().sum("sum(balance)"))
    everyone = session.range(2000).selectExpr("id", "cast(id % 7 as int) branch", "10L balance")
    accounts.insert(everyone)
    p.start(availableNow=True).awaitTermination()
    accounts.delete(everyone.where("id % 2 = 0"))
    p.start(availableNow=True).awaitTermination()
    totals = [
        gs.read_view(session, str(tmp_path / "c"), "bank", epoch).head()[0] for epoch in (0, 1)
    ]
    assert totals == [20000, 10000]
