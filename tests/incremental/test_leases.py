"""A lease keeps what its epoch needs through the retention of a running pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.runtime.ownership.leases import Lease
from groundswell.runtime.record.location import FOLDER
from groundswell.state.documents import open_documents

COLUMNS = "id bigint, story bigint"


def counts(location: str, epoch: int) -> list[dict[str, int]]:
    rows: list[dict[str, int]] = gs.view_to_arrow(location, "counts", epoch).to_pylist()
    return sorted(rows, key=lambda row: row["story"])


def test_retention_keeps_what_a_live_lease_needs_and_no_more(
    session: SparkSession, tmp_path: Path
) -> None:
    location = str(tmp_path / "c")
    p = gs.pipeline(session, location, partitions=2, retainEpochs=2, retireEvery=1)
    votes = p.table("votes", COLUMNS, key="id")
    p.view("counts", votes.df.groupBy("story").count())
    run = p.start()

    def barrier(key: int) -> None:
        votes.upsert(session.createDataFrame([(key, key % 2)], COLUMNS))
        run.processAllAvailable()

    for key in range(2):
        barrier(key)
    home = open_documents(location).child(FOLDER)
    with gs.snapshot(session, location) as snapshot:
        lease = Lease(home, snapshot.epoch, seconds=3600)  # as a reader elsewhere would
    held, before = lease.epoch, counts(location, lease.epoch)
    for key in range(2, 8):
        barrier(key)
    assert counts(location, held) == before != counts(location, held + 3)
    assert {tuple(r) for r in snapshot["counts"].collect()} == {tuple(r.values()) for r in before}
    lease.end()
    for key in range(8, 10):
        barrier(key)
    with pytest.raises(gs.EpochUnavailable, match=rf"epoch {held} is not in .* kept are \d+ to \d"):
        counts(location, held)
    with pytest.raises(gs.EpochUnavailable, match=rf"epoch {held} .* cannot be read any more"):
        Lease(home, held)
    kept = [n for n in home.child("leases").names() if not n.startswith("floor")]
    assert kept == [], "reads in the pipeline's own process, and eager ones, leave none"
    run.stop()
