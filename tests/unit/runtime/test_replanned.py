"""A batch that was planned and not run is taken back, with what file sources gave out for it."""

from __future__ import annotations

import json

import pytest

from groundswell.runtime.record.replanned import replan
from unit.runtime.folders import Claim, MemoryFolder


def location(files: list[str], *ends: int) -> MemoryFolder:
    """The logs of a source ``f`` of files, and of one of Kafka, after batches that end so."""
    root = MemoryFolder()
    for batch, end in enumerate(ends):
        lines = ["v2", "{}", "f:" + json.dumps({"logOffset": end}), 'k:{"t":{"0":5}}']
        root.child("offsets").put(str(batch), "\n".join(lines).encode())
    for name in files:
        root.child("sources").child("f").put(name, b"v1\n{}")
        root.child("sources").child("f").put(f".{name}.crc", b"")
    root.child("sources").child("k").put("0", b"v1\n{}")
    return root


def left(root: MemoryFolder) -> tuple[set[str], set[str], set[str]]:
    sources = root.child("sources")
    folders = root.child("offsets"), sources.child("f"), sources.child("k")
    offsets, files, topics = ({*folder.names()} for folder in folders)
    return offsets, {name for name in files if name[0] != "."}, topics


@pytest.mark.parametrize(
    ("files", "ends", "newest", "stays"),
    [
        (["0"], (0,), -1, set()),
        (["0", "1", "2"], (0, 2), 0, {"0"}),
        (["0", "1"], (1, 1), 0, {"0", "1"}),
        (["0", "1", "2"], (1, 1), 0, {"0", "1"}),
        (["9.compact", "10", "11"], (9, 10, 11), 1, {"9.compact", "10"}),
    ],
)
def test_what_a_batch_was_given_is_taken_back(
    files: list[str], ends: tuple[int, ...], newest: int, stays: set[str]
) -> None:
    root = location(files, *ends)
    assert replan(root, newest, Claim(root))
    assert left(root) == ({str(n) for n in range(newest + 1)}, stays, {"0"})
    assert not [
        n for n in root.child("sources").child("f").names() if n[0] == "." and n[1:-4] not in stays
    ]
    assert replan(root, newest, Claim(root)), "there is nothing to take back"


def test_a_log_that_was_made_compact_meanwhile_stays_as_it_is() -> None:
    """Entries before a compact file are removed in time: nobody knows what was given before."""
    root = location(["19.compact"], 18, 19)
    before = left(root)
    assert not replan(root, 0, Claim(root))
    assert left(root) == before
    both = location(["17", "18", "9.compact", *map(str, range(10, 17)), "19.compact"], 18, 19)
    assert replan(both, 0, Claim(both))
    assert left(both)[1] == {"9.compact", *map(str, range(10, 19))}
