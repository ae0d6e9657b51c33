"""What processes that died have left in a location goes after its grace, and nothing else does."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.format.envelope import seal
from groundswell.runtime.gc.orphans import forgotten, taken
from groundswell.runtime.record.slots import slot_name
from incremental.harness import bag, published
from unit.runtime.folders import MemoryFolder

DAY = 24 * 60 * 60
COLUMNS = "id bigint, story bigint"


def leave(path: Path, age_days: float, data: bytes = b"half") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    then = time.time() - age_days * DAY
    for each in (path, path.parent):
        os.utime(each, (then, then))
    return path


@pytest.mark.rest
def test_leftovers_go_after_their_grace(session: SparkSession, tmp_path: Path) -> None:
    location = tmp_path / "c"
    home = location / "groundswell"

    def write(row: tuple[int, int]) -> None:
        p = gs.pipeline(session, str(location), retainEpochs=2)
        votes = p.table("votes", COLUMNS, key="id")
        p.view("counts", votes.df.groupBy("story").count())
        votes.upsert(session.createDataFrame([row], COLUMNS))
        p.start(availableNow=True).awaitTermination()

    for i in range(4):
        write((i, i % 2))
    assert not list(home.glob("tables/votes/staging/*"))
    temporary = ".x.0123456789abcdef.gstmp"
    folders = [home, home / "epochs", home / "owners", home / "tables" / "votes"]
    logs = [location / "offsets", location / "sources" / "votes"]
    dead = [leave(folder / temporary, 1.1) for folder in folders]
    dead += [leave(log / ".4.a-b.tmp", 1.1) for log in logs]
    dead += [leave(home / "tables/votes/staging/1-a/part-00000.parquet", 1.1)]
    closed = seal("epoch", {"closedBy": 9})
    dead += [leave(home / "epochs" / slot_name(0, 7), 31, closed)]
    live = [leave(folder / temporary, 0.5) for folder in [home / "tables" / "votes"]]
    live += [leave(home / "tables/votes/staging/2-b/part-00000.parquet", 0.5)]
    live += [leave(home / "epochs" / slot_name(0, 8), 29, closed)]
    dead = [path for path in dead if path not in live]
    write((7, 0))
    assert [path for path in dead if path.exists()] == []
    assert [path for path in live if not path.exists()] == []
    assert not (home / "tables/votes/staging/1-a").exists()
    assert published(location) == [3, 4]
    assert set(bag(gs.read_view(session, str(location), "counts"))) == {(0, 3), (1, 2)}


def test_what_a_barrier_of_the_past_has_read_is_known_from_sparks_log() -> None:
    log = MemoryFolder()
    for entry in range(5):
        line = json.dumps({"path": f"file:///t/rows/{entry}.parquet", "batchId": entry})
        log.put(str(entry), f"v1\n{line}".encode())
    assert taken(log) == {"0.parquet", "1.parquet", "2.parquet"}
    assert taken(MemoryFolder()) == set()


def test_slots_that_count_for_no_epoch_are_forgotten() -> None:
    slots = [(0, 1), (0, 2), (1, 2), (3, 1), (3, 2), (4, 1), (4, 2)]
    assert forgotten(slots, {3: 2, 4: 2}) == {(0, 1), (0, 2), (1, 2), (3, 1), (4, 1)}
    killed_before_their_first_epoch = [(0, token) for token in range(1, 20)]
    assert forgotten(killed_before_their_first_epoch, {}) == {*killed_before_their_first_epoch}
    assert forgotten([*killed_before_their_first_epoch, (0, 20)], {0: 20}) == {
        *killed_before_their_first_epoch
    }
