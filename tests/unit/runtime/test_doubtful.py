"""Entries of Spark's logs that an older run may have made."""

from __future__ import annotations

from groundswell.marks import Mark
from groundswell.runtime.record.stale_entries import StaleEntries, settle
from reaching import reaches
from unit.runtime.folders import Claim, MemoryFolder


def logs(offsets: dict[int, bytes], commits: list[int]) -> MemoryFolder:
    root = MemoryFolder("mem:/checkpoint")
    for batch, entry in offsets.items():
        root.child("offsets").put(str(batch), entry)
    for batch in commits:
        root.child("commits").put(str(batch), b"v1")
    return root


def test_a_delivery_that_may_be_an_older_runs_is_repeated() -> None:
    root = logs({3: b"three"}, [2, 3])
    with reaches(Mark.DELIVERY_MAY_BE_ANOTHER_RUNS):
        assert settle(root, StaleEntries(commits=(3,)), 3, 2, Claim(root)) == 3
    assert root.child("commits").names() == ["2"]


def test_a_batch_that_an_older_run_may_have_planned_becomes_empty() -> None:
    """Its offsets are those of the batch before, so no older run can plan it any more."""
    root = logs({3: b"three", 4: b"an older run's"}, [2, 3])
    with reaches(Mark.EMPTY_BATCH_IS_PLANNED):
        assert settle(root, StaleEntries(offsets=(4,)), 3, 3, Claim(root)) == 4
    assert root.child("offsets").read("4") == b"three"


def test_a_batch_that_nobody_is_known_to_have_delivered_is_not_planned() -> None:
    root = logs({3: b"three", 4: b"an older run's"}, [2])
    assert settle(root, StaleEntries(offsets=(4,)), 3, 2, Claim(root)) == 3
    assert root.child("offsets").names() == ["3"]
