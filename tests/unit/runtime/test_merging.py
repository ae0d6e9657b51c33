"""Merges of another process: the log, and what of it a barrier is given."""

import pytest

from groundswell.contract.commits import CommitRef
from groundswell.errors import Fenced
from groundswell.marks import Mark
from groundswell.runtime.barriers.merging import SECONDS, Merged
from groundswell.runtime.record.merges import Entry, Merge, MergeLog
from reaching import reaches
from unit.runtime.folders import MemoryFolder


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        self.now += SECONDS
        return self.now


def commits(**versions: int) -> dict[str, tuple[CommitRef, ...]]:
    """Of states of one partition."""
    return {state: (CommitRef(v, f"id{v}", 0, 0),) for state, v in versions.items()}


def entry(number: int, *merges: Merge, process: str = "a") -> Entry:
    return Entry(number, process, 0, merges)


def merge(state: str, version: int) -> Merge:
    return Merge(state, 0, version, f"{state}{version}")


def given(merged: Merged) -> dict[str, list[str]]:
    return {state: [part.record for part in parts] for state, parts in merged.due().items()}


def test_of_two_processes_the_older_one_ends() -> None:
    log = MergeLog(MemoryFolder())
    log.add(entry(0))
    log.add(entry(1, process="b"))
    with pytest.raises(Fenced, match=r"another process merges for .* now: b; this one ends"):
        log.add(entry(1, merge("s", 3)))
    log.add(entry(1, process="b"))  # told again, as after an answer that was lost
    assert log.read(1) == entry(1, process="b")


def test_only_the_last_run_says_whether_it_takes_merges_in() -> None:
    home = MemoryFolder()
    log = MergeLog(home)
    home.child("owners").put("00000000000000000004.json", b"")
    assert not log.is_open()
    log.open(4)
    assert log.is_open()
    home.child("owners").put("00000000000000000005.json", b"")
    assert not log.is_open(), "a run with the default has followed"
    log.open(5)
    assert log.is_open()
    assert home.child("merges").names() == ["open-00000000000000000005.json"]


def test_a_merge_is_given_until_its_partition_is_written() -> None:
    home = MemoryFolder()
    log = MergeLog(home)
    log.add(entry(0))
    log.add(entry(1, merge("s", 3), merge("t", 3)))
    merged = Merged(log, 0, Clock())
    assert given(merged) == {}, "retention has not said yet what it keeps"
    merged.retained(commits(s=2, t=2))
    assert given(merged) == {"s": ["s3"], "t": ["t3"]}
    merged.ran(commits(s=3, t=3), commits(t=4))
    log.add(entry(2, merge("t", 4)))
    assert given(merged) == {"s": ["s3"], "t": ["t4"]}
    assert log.numbers() == [1, 2], "that without merges is settled"
    merged.ran(commits(s=3, t=4), commits(s=4, t=5))
    assert given(merged) == {}
    assert log.numbers() == [2], "the last one tells the next number"


def test_a_run_that_follows_goes_on_with_what_is_not_settled() -> None:
    home = MemoryFolder()
    log = MergeLog(home)
    for number in range(3):
        log.add(entry(number, merge("s", 3 + number)))
    log.remove([0])
    merged = Merged(log, 0, Clock())
    merged.retained(commits(s=1))
    assert given(merged) == {"s": ["s4", "s5"]}


def test_what_retention_may_delete_is_not_given() -> None:
    log = MergeLog(MemoryFolder())
    log.add(entry(0, merge("s", 3), merge("s", 4), merge("new", 1)))
    merged = Merged(log, 0, Clock())
    merged.retained(commits(s=5))
    with reaches(Mark.MERGE_IS_TOO_OLD):
        assert given(merged) == {"s": ["s4"], "new": ["new1"]}


def test_merges_of_states_before_a_rescale_are_not_given() -> None:
    log = MergeLog(MemoryFolder())
    log.add(Entry(0, "a", 1, (merge("s", 3),)))
    merged = Merged(log, 2, Clock())
    merged.retained(commits(s=1))
    assert given(merged) == {}
