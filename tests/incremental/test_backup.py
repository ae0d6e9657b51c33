"""Copies of a pipeline that are made while it runs go on by themselves, and equal batch Spark."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from groundswell.cli.main import main
from groundswell.runtime.ownership.leases import leases_of

pytestmark = pytest.mark.rest

COLUMNS = "id bigint, story bigint"


class Shop:
    """A pipeline over a table and a folder of files, and what its views must be."""

    def __init__(self, session: SparkSession, location: Path, given: Path) -> None:
        self.session, self.location, self.given = session, str(location), given
        given.mkdir(exist_ok=True)
        self.pipeline = gs.pipeline(session, self.location, partitions=2, retireEvery=2)
        clicks = session.readStream.schema("k bigint, v bigint").json(str(given))
        self.votes = self.pipeline.table("votes", COLUMNS, key="id")
        self.pipeline.view("counts", self.votes.df.groupBy("story").count())
        self.pipeline.view("sums", gs.appends(clicks, name="clicks").groupBy("k").sum("v"))
        self.rows: dict[int, int] = {}
        self.run: Any = None

    def feed(self, number: int) -> None:
        key, story = number % 5, number * 7 % 4
        half = self.given / f".{number}.json"
        half.write_text(f'{{"k":{number % 3},"v":{number}}}\n')
        half.rename(self.given / f"{number}.json")
        self.votes.upsert(self.session.createDataFrame([(key, story)], COLUMNS))
        self.rows[key] = story

    def go_on(self) -> None:
        if self.run is None:
            self.run = self.pipeline.start()
        self.run.processAllAvailable()

    def stop(self) -> None:
        self.run.stop()
        self.run = None

    def check(self) -> None:
        stories = self.session.createDataFrame(list(self.rows.items()), COLUMNS)
        clicks = self.session.read.schema("k bigint, v bigint").json(str(self.given))
        found = gs.read_views(self.session, self.location)
        assert bag(found["counts"]) == bag(stories.groupBy("story").count())
        assert bag(found["sums"]) == bag(clicks.groupBy("k").sum("v"))


def bag(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in frame.collect())


def arrow(location: str, epoch: int | None = None) -> dict[str, list[tuple[Any, ...]]]:
    tables = {view: gs.view_to_arrow(location, view, epoch) for view in ("counts", "sums")}
    return {v: sorted(tuple(r.values()) for r in t.to_pylist()) for v, t in tables.items()}


@pytest.fixture
def shop(session: SparkSession, tmp_path: Path) -> Iterator[Shop]:
    made = Shop(session, tmp_path / "a", tmp_path / "in")
    for number in range(2):
        made.feed(number)
        made.go_on()
    yield made
    if made.run is not None:
        made.stop()


def test_clones_of_a_running_pipeline_go_on_by_themselves(
    shop: Shop, session: SparkSession, tmp_path: Path
) -> None:
    seed = random.randrange(1 << 30)
    print("seed", seed)
    copies: list[gs.Copied] = []
    failed: list[BaseException] = []
    over = threading.Event()

    def copy() -> None:
        try:
            while not over.is_set() and len(copies) < 6:
                copies.append(gs.clone(shop.location, f"{tmp_path}/copy{len(copies)}"))
                over.wait(0.5)
        except BaseException as error:  # noqa: BLE001 - told below
            failed.append(error)

    copier = threading.Thread(target=copy)
    copier.start()
    for number in range(2, 6):
        shop.feed(number)
        shop.go_on()
    over.set()
    copier.join()
    assert failed == []
    assert len({each.epoch for each in copies}) > 2, "barriers ran between the copies"
    for each in copies:
        assert each.linked == each.files > 0
        assert arrow(each.location) == arrow(shop.location, each.epoch), each

    chosen = random.Random(seed).choice(copies)
    print(chosen)
    mine = Shop(session, Path(chosen.location), tmp_path / "in")
    shop.feed(6)
    mine.rows = dict(shop.rows)
    mine.votes.upsert(session.createDataFrame(list(mine.rows.items()), COLUMNS))
    mine.go_on()  # beside the other one: files that came after the epoch are still to be read
    shop.go_on()
    mine.check()
    shop.check()
    mine.stop()


def test_a_backup_is_restored_in_the_place_of_the_pipeline(shop: Shop, tmp_path: Path) -> None:
    shop.stop()
    shop.feed(4)  # a write that no barrier has taken is in it, too
    made = gs.backup(shop.location, tmp_path / "b")
    shutil.rmtree(shop.location)
    assert gs.backup(tmp_path / "b", shop.location).epoch == made.epoch
    shop.go_on()
    shop.check()


def test_only_epochs_of_which_operators_have_their_state_are_copied(
    shop: Shop, tmp_path: Path
) -> None:
    told: list[int] = []
    for epoch in (epochs := gs.snapshot(shop.session, shop.location).epoch, 0):
        try:
            gs.clone(shop.location, tmp_path / f"e{epoch}", epoch)
            told.append(epoch)
        except gs.EpochUnavailable as error:
            assert "cannot be copied any more: the pipeline keeps" in str(error)  # noqa: PT017
            assert not (tmp_path / f"e{epoch}").exists()
    assert told == [epochs]
    with pytest.raises(gs.EpochUnavailable, match="kept are 0 to"):
        gs.clone(shop.location, tmp_path / "x", 999)
    with pytest.raises(gs.InvalidArgument, match=r"is not empty: it has .*Name a new folder"):
        gs.clone(shop.location, tmp_path / f"e{epochs}")
    with pytest.raises(gs.InvalidArgument, match="inside of"):
        gs.clone(shop.location, f"{shop.location}/copy")


KILLED = """
import os, signal, sys
from groundswell.migrate.backup import clone

def progress(files, of, size):
    if files == of // 2:
        os.kill(os.getpid(), signal.SIGKILL)

clone(sys.argv[1], sys.argv[2], None, progress)
"""


def test_a_copy_that_was_killed_does_not_open(
    shop: Shop, session: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    half = tmp_path / "half"
    died = subprocess.run([sys.executable, "-c", KILLED, shop.location, str(half)], check=False)
    assert died.returncode == -signal.SIGKILL
    assert list((half / "groundswell" / "state").rglob("*.pack"))
    for opens in (
        lambda: Shop(session, half, tmp_path / "in").go_on(),
        lambda: gs.read_view(session, str(half), "counts"),
        lambda: gs.view_to_arrow(half, "counts"),
        lambda: gs.clone(half, tmp_path / "again"),
    ):
        with pytest.raises(gs.IllegalState, match=r"a copy of .* that was not finished"):
            opens()
    assert main(["clone", shop.location, str(half)]) == 1
    assert "is not empty" in capfd.readouterr().err
    shutil.rmtree(half)
    assert main(["clone", shop.location, str(half)]) == 0
    assert "files of states" in capfd.readouterr().out
    assert arrow(str(half)) == arrow(shop.location)
    left = leases_of(p.name for p in Path(shop.location, "groundswell", "leases").iterdir())
    assert [lease.kind for lease in left] == ["whole"], "of the dead one, until its time is over"
