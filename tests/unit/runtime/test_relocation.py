"""Logs of what tables' files were read, in a location that was moved."""

from __future__ import annotations

import json

from groundswell.marks import Mark
from groundswell.runtime.record.relocation import relocate
from reaching import reaches
from unit.runtime.folders import MemoryFolder

ROWS = "groundswell/tables/t/rows"


def entry(path: str) -> bytes:
    return b"v1\n" + json.dumps({"path": path, "batchId": 0}).encode()


def paths(root: MemoryFolder, source: str) -> list[str]:
    folder = root.child("sources").child(source)
    read = [folder.read(name) or b"" for name in folder.names()]
    return [json.loads(data.splitlines()[1])["path"] for data in read]


def test_logs_of_a_moved_location_name_its_files_where_they_are() -> None:
    root = MemoryFolder("mem:/new")
    for name in ("0", "9.compact", "10"):
        root.child("sources").child("t").put(name, entry(f"file:/old/{ROWS}/{name}.parquet"))
    root.child("sources").child("files").put("0", entry("file:/elsewhere/0.json"))
    with reaches(Mark.LOGS_NAME_ANOTHER_PLACE):
        assert relocate(root, ["t", "files"], "file:///new") == ["t"]
    names = ("0", "10", "9.compact")
    assert paths(root, "t") == [f"file:///new/{ROWS}/{name}.parquet" for name in names]
    assert paths(root, "files") == ["file:/elsewhere/0.json"]
    assert relocate(root, ["t", "files"], "file:/new") == [], "they name it now"


def test_logs_of_other_sources_are_left_alone() -> None:
    """A source of Kafka notes its first offsets there, which name no file: its restart failed."""
    root = MemoryFolder("mem:/new")
    first = b'v1\n{"topic":{"0":17,"1":0}}'
    root.child("sources").child("topic").put("0", first)
    root.child("sources").child("own").put("0", b"\xff\xfe\nnot JSON")
    assert relocate(root, ["topic", "own"], "file:/new") == []
    assert root.child("sources").child("topic").read("0") == first
