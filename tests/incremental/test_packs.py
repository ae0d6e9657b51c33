"""Commits of all states that one process makes in a barrier are one object or two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell.cli.inspect import run as inspect
from groundswell.contract.commits import Commits
from groundswell.errors import FormatTooNew
from groundswell.format import States, Store, envelope, open_folder
from groundswell.format.epoch_packs import is_packed, pack_of
from groundswell.runtime.record.epochs import EpochLog
from incremental.harness import home, newest_commits

COLUMNS = "id bigint, story bigint"
VIEWS, PARTITIONS = 2, 4


def start(session: SparkSession, location: Path) -> tuple[Any, Any]:
    options = {"retainEpochs": 3, "retireEvery": 1}
    p = gs.pipeline(session, str(location), partitions=PARTITIONS, **options)
    votes = p.table("votes", COLUMNS, key="id")
    for n in range(VIEWS):
        p.view(f"v{n}", votes.df.groupBy((F.col("story") + n).alias("s")).count())
    return p.start(), votes


def barrier(session: SparkSession, run: Any, votes: Any, ids: range) -> None:
    votes.upsert(session.createDataFrame([(i, i % 20) for i in ids], COLUMNS))
    run.processAllAvailable()


def objects(location: Path) -> set[str]:
    """Below the folder of states."""
    state = location / "groundswell" / "state"
    return {str(f.relative_to(state)) for f in state.rglob("*") if f.is_file()}


def counts(location: str | Path, n: int, epoch: int | None = None) -> dict[int, int]:
    rows = gs.view_to_arrow(str(location), f"v{n}", epoch).to_pylist()
    return {row["s"]: row["count"] for row in rows}


def wanted(most: int, n: int) -> dict[int, int]:
    found: dict[int, int] = {}
    for i in range(most):
        found[i % 20 + n] = found.get(i % 20 + n, 0) + 1
    return found


def needs(stores: States, commits: Commits) -> set[str]:
    """The packs that versions read."""
    found = set()
    for state, refs in commits.items():
        for partition, commit in enumerate(refs):
            if commit.version and commit.id:
                version = Store(stores.store(state, partition)).version(commit.version, commit.id)
                found |= {info.file for run in version.manifest.runs for info in run}
                found.add(pack_of(commit.id))
    return found


def test_a_barrier_writes_few_objects_and_all_readers_find_what_is_in_them(
    session: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    location = tmp_path / "c"
    run, votes = start(session, location)
    barrier(session, run, votes, range(100))
    before = objects(location)
    assert {name.split("/")[0] for name in before} == {"_packs"}
    barrier(session, run, votes, range(100, 140))
    made = objects(location) - before
    assert 1 <= len(made) <= 2, "views' and operators' own, of all tasks"

    for n in range(VIEWS):
        assert counts(location, n) == wanted(140, n)
        assert counts(location, n, 0) == wanted(100, n)
    run.stop()
    rows = gs.read_view(session, str(location), "v1", 0).collect()
    assert {row["s"]: row["count"] for row in rows} == wanted(100, 1), "by stores opened again"
    assert inspect(str(location), None) == 0
    state = next(name for name in newest_commits(location) if name.startswith("view-v1"))
    assert inspect(str(location), f"{state}/0") == 0
    assert "2 versions can be opened, 1 to 2" in capsys.readouterr().out
    (location / "notes").write_text("mine")
    assert inspect(str(location), None, files=True) == 0
    told = capsys.readouterr().out
    assert "when no epoch that is kept needs a commit in it" in told
    assert "such as notes" in told
    (location / "notes").unlink()
    assert inspect(str(location.parent), None, files=True) == 1

    newest = EpochLog(home(location).child("epochs")).newest()
    name = f"{newest.epoch:020d}-{newest.token:020d}.json"
    document = (location / "groundswell" / "epochs" / name).read_bytes()
    with pytest.MonkeyPatch.context() as patch:  # what a release says that knows no packs
        patch.setattr(envelope, "NEWEST_VERSION", envelope.PACKED_VERSION)
        with pytest.raises(FormatTooNew, match="has format 4, this release reads up to 3"):
            envelope.unseal(name, document, "epoch")


@pytest.mark.rest
def test_packs_go_with_the_epochs_that_need_them_and_copies_have_theirs(
    session: SparkSession, tmp_path: Path
) -> None:
    location = tmp_path / "c"
    run, votes = start(session, location)
    for n in range(2):
        barrier(session, run, votes, range(20 * n, 20 * n + 20))
    copy = gs.backup(str(location), str(tmp_path / "copy"))
    for n in range(2, 6):
        barrier(session, run, votes, range(20 * n, 20 * n + 20))
    run.stop()
    assert counts(location, 1) == wanted(120, 1)
    assert counts(location, 1, 3) == wanted(80, 1)
    assert counts(copy.location, 1) == wanted(40, 1)
    assert objects(Path(copy.location)) >= {
        f"_packs/{pack_of(commit.id)}"
        for commits in newest_commits(Path(copy.location)).values()
        for commit in commits
        if commit.id and is_packed(commit.id)
    }

    run, votes = start(session, location)  # goes on from packs alone
    barrier(session, run, votes, range(120, 140))
    run.stop()
    assert counts(location, 0) == wanted(140, 0)
    log = EpochLog(home(location).child("epochs"))
    oldest, newest = log.get(log.epochs()[0]), log.newest()
    assert oldest.epoch == newest.epoch - 2
    stores = States(open_folder(location / "groundswell" / "state"))
    needed = needs(stores, newest.commits) | needs(
        stores, {s: c for s, c in oldest.commits.items() if s.startswith(("view-", "source-"))}
    )
    names = set(stores.packs.names())
    assert needed <= names
    later = {name for name in names if int(name[:20]) > oldest.epoch}
    assert {n for n in names - later if "-000" in n} <= needed, "views' packs"
    assert {n for n in names if "-001" in n} <= needed, "operators' own packs"

    run, votes = start(session, Path(copy.location))
    barrier(session, run, votes, range(40, 50))
    run.stop()
    assert counts(copy.location, 1) == wanted(50, 1), "the copy lives by itself"


@pytest.mark.rest
def test_a_view_that_comes_again_under_its_name_is_not_taken_for_the_older_one(
    session: SparkSession, tmp_path: Path
) -> None:
    location = tmp_path / "c"
    run, votes = start(session, location)
    for n in range(2):
        barrier(session, run, votes, range(20 * n, 20 * n + 20))
    run.dropView("v1")
    barrier(session, run, votes, range(40, 60))
    run.addView("v1", votes.df.groupBy((F.col("story") + 1).alias("s")).count())
    for n in range(3, 6):  # the epochs that have the older one are retired meanwhile
        barrier(session, run, votes, range(20 * n, 20 * n + 20))
        assert counts(location, 1) == wanted(20 * n + 20, 1)
    run.stop()


def test_the_rounds_of_a_recursion_are_one_durable_commit(
    session: SparkSession, tmp_path: Path
) -> None:
    location = tmp_path / "c"
    p = gs.pipeline(session, str(location), partitions=1)  # more versions than a store remembers
    edges = p.table("edges", "src bigint, dst bigint", key=["src", "dst"])
    starts = edges.df.where("src < 0").select(F.col("dst").alias("node"))

    def step(rows: Any) -> Any:
        return rows.join(edges.df, rows.node == edges.df.src).select("dst")

    p.view("reached", gs.fixpoint(starts, step))
    run, wanted = p.start(), []
    for n in range(2):
        before = objects(location)
        rows = [(-1 - n, 100 * n), *((100 * n + i, 100 * n + i + 1) for i in range(14))]
        edges.upsert(session.createDataFrame(rows, "src bigint, dst bigint"))
        run.processAllAvailable()
        wanted += [100 * n + i for i in range(15)]
        assert run.lastProgress["rounds"] >= 14
        assert len(objects(location) - before) <= 2
    run.stop()
    assert sorted(gs.view_to_arrow(str(location), "reached")["node"].to_pylist()) == wanted
    run = p.start()  # builds on the last of the rounds
    edges.delete(session.createDataFrame([(100, 101)], "src bigint, dst bigint"))
    run.processAllAvailable()
    run.stop()
    rows = gs.read_view(session, str(location), "reached").collect()
    assert sorted(row.node for row in rows) == [n for n in wanted if not 101 <= n < 200]
