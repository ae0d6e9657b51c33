"""Pipelines begun by an older release: they are read, go on, and are upgraded on the way.

``tests/fixtures/checkpoint-v1`` was written by release 0.1 before documents had envelopes: two
views of one table, three upserts and one delete, each a barrier; ``ahead`` with a checkpoint at
every third.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from cases import first_of
from groundswell import confs
from groundswell.format.envelope import is_sealed
from groundswell.runtime.record.slots import slot_of
from groundswell.state.read import view_to_arrow
from incremental.harness import bag, published

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures" / "checkpoint-v1"
COLUMNS = "id bigint, story bigint, note string"


def begun(name: str, tmp_path: Path) -> Path:
    """A copy; Spark's logs of sources have absolute paths."""
    location = tmp_path / name
    shutil.copytree(FIXTURE / name, location)
    for log in location.glob("sources/*/*"):
        log.write_text(log.read_text().replace("/fixture/", f"{tmp_path}/"))
    return location


def documents(location: Path) -> dict[str, bytes]:
    home = location / "groundswell"
    return {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*.json")}


@pytest.mark.parametrize(("name", "every"), first_of([("views", 1), ("ahead", 3), ("ahead", 1)]))
def test_a_checkpoint_of_the_first_release_goes_on(
    session: SparkSession, tmp_path: Path, name: str, every: int
) -> None:
    location = begun(name, tmp_path)
    session = session.newSession()
    session.conf.set("spark.sql.session.timeZone", "Etc/UTC")  # as it was begun with
    session.conf.set(confs.FILE_MANAGER_KEY, confs.FILE_MANAGER)
    assert not any(map(is_sealed, documents(location).values()))
    arrow = view_to_arrow(location, "counts").to_pylist()
    counts = {tuple(row.values()) for row in arrow}
    assert counts == set(bag(gs.read_view(session, str(location), "counts")))
    p = gs.pipeline(session, str(location), checkpointEvery=every)
    votes = p.table("votes", COLUMNS, key="id")
    p.view("counts", votes.df.groupBy("story").count())
    p.view("notes", votes.df.where("note is not null").select("id", "note"))
    votes.upsert(session.createDataFrame([(7, 9, "moved"), (8, 0, None)], COLUMNS))
    p.start(availableNow=True).awaitTermination()
    assert rows(session, location, "counts") == {(0, 4), (1, 2), (9, 2)}
    assert (7, "moved") in rows(session, location, "notes")
    assert rows(session, location, "counts", epoch=3) == counts, "older epochs stay readable"
    now = documents(location)
    plain = {name for name, data in now.items() if not is_sealed(data)}
    assert plain == {name for name in plain if slot_of(name.removeprefix("epochs/"))}, (
        "what the older release published stays as it was until it is retired"
    )
    assert json.loads(now["tables/votes/table.json"])["magic"] == "groundswell"
    assert published(location)[-1] > 3


@pytest.mark.rest
def test_a_checkpoint_of_the_first_release_gets_other_partitions(
    session: SparkSession, tmp_path: Path
) -> None:
    location = begun("views", tmp_path)
    session = session.newSession()
    session.conf.set("spark.sql.session.timeZone", "Etc/UTC")  # as it was begun with
    session.conf.set(confs.FILE_MANAGER_KEY, confs.FILE_MANAGER)
    counts = rows(session, location, "counts")
    p = gs.pipeline(session, str(location), partitions=5)
    votes = p.table("votes", COLUMNS, key="id")
    p.view("counts", votes.df.groupBy("story").count())
    p.view("notes", votes.df.where("note is not null").select("id", "note"))
    votes.upsert(session.createDataFrame([(7, 9, "moved"), (8, 0, None)], COLUMNS))
    p.start(availableNow=True).awaitTermination()
    assert rows(session, location, "counts") == {(0, 4), (1, 2), (9, 2)}
    assert rows(session, location, "counts", epoch=3) == counts
    arrow = view_to_arrow(location, "counts").to_pylist()
    assert {tuple(row.values()) for row in arrow} == {(0, 4), (1, 2), (9, 2)}


def rows(session: SparkSession, location: Path, view: str, epoch: int | None = None) -> set[Any]:
    return set(bag(gs.read_view(session, str(location), view, epoch)))
