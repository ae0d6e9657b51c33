"""Every file of a small location is damaged in turn: right rows, or a named error with the file.

Spark's logs of sources are left out: they are Spark's alone, and have no checksum.
"""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.errors import Corruption, GroundswellError
from groundswell.state.read import view_to_arrow
from incremental.harness import bag

pytestmark = pytest.mark.rest

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))
COLUMNS = "id bigint, story bigint, note string"
VIEWS = ("counts", "notes")
COUNTS = {(0, 3), (1, 3), (9, 1)}
NOTES = {(0, "x"), (1, "y"), (2, "x"), (3, "x"), (4, "x"), (5, "x")}
MORE = {"counts": {(0, 3), (1, 3), (9, 2)}, "notes": {*NOTES, (7, "z")}}


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[random.Random(path.name).randrange(len(data))] ^= 1 << 3
    path.write_bytes(data)


DAMAGES: list[Callable[[Path], None]] = [truncated, flipped, Path.unlink]


def pipeline(session: SparkSession, location: Path, every: int) -> tuple[gs.Pipeline, gs.Table]:
    p = gs.pipeline(session, str(location), partitions=1, checkpointEvery=every)
    votes = p.table("votes", COLUMNS, key="id")
    p.view("counts", votes.df.groupBy("story").count())
    p.view("notes", votes.df.where("note is not null").select("id", "note"))
    return p, votes


@pytest.fixture(scope="module", params=[3, pytest.param(1, marks=pytest.mark.soak)])
def whole(
    session: SparkSession, tmp_path_factory: Any, request: pytest.FixtureRequest
) -> tuple[Path, int]:
    """A location after three barriers and a restart."""
    location = tmp_path_factory.mktemp("whole") / "c"
    first = [(i, i % 2, "x") for i in range(6)]
    for rows in (first, [(1, 1, "y")], [(9, 9, None)]):
        p, votes = pipeline(session, location, request.param)
        votes.upsert(session.createDataFrame(rows, COLUMNS))
        p.start(availableNow=True).awaitTermination()
    return location, request.param


def kind(name: str) -> str:
    return re.sub(r"[0-9a-f]{8,}|\d+", "N", name)


def files(location: Path) -> list[str]:
    found = [str(p.relative_to(location)) for p in location.rglob("*") if p.is_file()]
    return sorted(name for name in found if not name.startswith("sources/"))


Damages = dict[str, list[Callable[[Path], None]]]


def sweep(session: SparkSession, whole: tuple[Path, int], damages: Damages, into: Path) -> None:
    problems = []
    for name, each in damages.items():
        for damage in each:
            copy = into / "c"
            shutil.copytree(whole[0], copy)
            for log in copy.glob("sources/*/*"):
                log.write_text(log.read_text().replace(str(whole[0]), str(copy)))
            damage(copy / name)
            named = "/".join(Path(name).parts[-2:])
            if "/epochs/" in name:  # what is missing may have had any token
                named = named[: len("epochs/") + 20]
            problems += [
                f"{name} {damage.__name__}: {problem}"
                for problem in use(session, copy, whole[1], named, "/epochs/" in name)
            ]
            shutil.rmtree(copy)
    assert not problems, "\n".join(problems)


def use(session: SparkSession, location: Path, every: int, named: str, epoch: bool) -> list[str]:
    """What is wrong with how a damaged location is read, and goes on.

    ``epoch``: it is the newest epoch that is damaged; if it is gone, readers see the one before.
    """

    def attempt(what: str, act: Callable[[], Any], expected: Any, raw: bool = False) -> None:
        try:
            found = act()
        except Exception as e:  # noqa: BLE001 - which one it is, is the question
            if not raw and not isinstance(e, GroundswellError):
                problems.append(f"{what} gives {type(e).__name__}: {str(e)[:300]}")
            elif named not in str(e):
                problems.append(f"{what} does not name it: {type(e).__name__}: {str(e)[:300]}")
        else:
            if found != expected and not (epoch and found == {(0, 3), (1, 3)}):
                problems.append(f"{what} gives wrong rows: {found}")

    def go_on() -> dict[str, set[Any]]:
        p, votes = pipeline(session, location, every)
        votes.upsert(session.createDataFrame([(7, 9, "z")], COLUMNS))
        p.start(availableNow=True).awaitTermination()
        return {view: set(bag(gs.read_view(session, str(location), view))) for view in VIEWS}

    def without_jvm(view: str) -> set[Any]:
        return {tuple(row.values()) for row in view_to_arrow(location, view).to_pylist()}

    problems: list[str] = []
    for view, rows in zip(VIEWS, (COUNTS, NOTES), strict=True):
        attempt(f"reading {view} without a JVM", lambda v=view: without_jvm(v), rows)
        # Rows are read by a job of Spark's, whose error is Spark's: it has ours in its message.
        attempt(
            f"reading {view}",
            lambda v=view: set(bag(gs.read_view(session, str(location), v))),
            rows,
            raw=True,
        )
    attempt("going on", go_on, MORE)
    return problems


def test_one_file_of_each_kind(
    session: SparkSession, whole: tuple[Path, int], tmp_path: Path
) -> None:
    print(f"seed {SEED}")
    rng = random.Random(SEED)
    last = {kind(name): name for name in files(whole[0])}
    damages = {name: [rng.choice(DAMAGES)] for name in last.values()}
    sweep(session, whole, damages, tmp_path)


def test_a_log_of_files_that_is_lost_is_named(
    session: SparkSession, whole: tuple[Path, int], tmp_path: Path
) -> None:
    """It began anew, and files that came later had numbers of entries that were read before."""
    shutil.copytree(whole[0], tmp_path / "c")
    (lost,) = (tmp_path / "c/sources").glob("*/0")
    shutil.rmtree(lost.parent)
    p, _ = pipeline(session, tmp_path / "c", whole[1])
    with pytest.raises(Corruption, match=f"sources/{lost.parent.name}/0 is missing"):
        p.start()


@pytest.mark.soak
def test_every_file(session: SparkSession, whole: tuple[Path, int], tmp_path: Path) -> None:
    sweep(session, whole, dict.fromkeys(files(whole[0]), DAMAGES), tmp_path)
