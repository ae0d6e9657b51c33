"""What Spark cannot start from is named before Spark looks at it."""

from __future__ import annotations

import pytest

from groundswell.errors import Corruption
from groundswell.runtime.record.spark_logs import check_logs
from unit.runtime.folders import MemoryFolder

ID = b'{"id":"0b4b1b8c-6d9a-4a0f-9c3f-0667e9d1a2b3"}'


def logs(offsets: list[int], commits: list[int], metadata: bytes = ID) -> MemoryFolder:
    root = MemoryFolder()
    root.put("metadata", metadata)
    for log, batches in (("offsets", offsets), ("commits", commits)):
        for batch in batches:
            root.child(log).put(str(batch), b"v1\n{}")
    return root


def test_what_spark_leaves_is_fine() -> None:
    for offsets, commits in (([], []), ([0], []), ([0, 1], [0]), ([7, 8], [6, 7]), ([8, 9], [9])):
        check_logs(logs(offsets, commits))


@pytest.mark.parametrize("lost", [([0, 2], [1]), ([2], [1]), ([5], [])])
def test_the_entry_before_the_last_is_missed_by_name(lost: tuple[list[int], list[int]]) -> None:
    with pytest.raises(Corruption, match=rf"offsets/{lost[0][-1] - 1} is missing"):
        check_logs(logs(*lost))


def test_a_batch_that_runs_meanwhile_is_not_missed() -> None:
    """A change of a running query was refused: its logs were listed around one of its batches."""
    root = logs([0, 1], [0, 1])
    listed: list[str] = []

    def runs(what: str, _: str) -> None:
        if what == "list":
            listed.append(what)
            if len(listed) == 2:
                for log in ("offsets", "commits"):
                    root.child(log).objects["2"] = b"v1\n{}"

    for log in ("offsets", "commits"):
        root.child(log).before = runs
    check_logs(root)
    assert len(listed) >= 2


def test_an_entry_that_an_older_run_may_have_made_is_not_gone_by() -> None:
    check_logs(logs([0, 1, 3], [1]), {"offsets": (3,), "commits": ()})
    check_logs(logs([0, 1, 2], [1]), {"offsets": (1,), "commits": ()})
    check_logs(logs([0, 1], [1, 2]), {"offsets": (), "commits": (2,)})


@pytest.mark.parametrize("name", ["6d9=", "6d9", "", "6d9g"])
def test_an_id_that_is_none_is_named(name: str) -> None:
    with pytest.raises(Corruption, match="metadata is not what Spark wrote"):
        check_logs(logs([0], [0], ID.replace(b"6d9a", name.encode())))


def of_files(*names: str) -> MemoryFolder:
    """Logs of a query that has read entry 11 of the source ``s``."""
    root = logs([0, 1], [0, 1])
    root.child("offsets").put("1", b'v2\n{}\ns:{"logOffset":11}\nticks:7')
    for name in names:
        root.child("sources").child("s").put(name, b"v1")
    return root


@pytest.mark.parametrize(
    "names",
    [
        ("9.compact", "10", "11"),
        ("8", "9.compact", "10", "11", "12"),  # the next batch was begun
        ("19.compact", "20"),  # Spark has removed what it holds
        (*map(str, range(9)), "9.compact", "10", "11", ".11.crc"),
    ],
)
def test_a_log_of_files_is_whole_from_its_last_compact_one_on(names: tuple[str, ...]) -> None:
    check_logs(of_files(*names))


@pytest.mark.parametrize(
    ("names", "lost"),
    [
        ((), 0),
        (("9.compact", "10"), 11),
        (("9.compact", "11"), 10),
        (("10", "11"), 0),
        (tuple(map(str, range(9))), 9),
    ],
)
def test_an_entry_of_a_log_of_files_that_is_lost_is_named(
    names: tuple[str, ...], lost: int
) -> None:
    with pytest.raises(Corruption, match=rf"sources/s/{lost} is missing"):
        check_logs(of_files(*names))
