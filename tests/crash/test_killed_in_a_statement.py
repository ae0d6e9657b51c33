"""kill -9 at each stage of each kind of statement: the pipeline is the old one, or the new one.

One kind is killed before each landing; ``sql/test_every_step_of_a_change`` has all of them, by
copies of what a crash would leave.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crash import statements

pytestmark = pytest.mark.rest

OLD = {"good", "old", "t"}
NEW = {
    "created": OLD | {"new"},
    "refused": OLD,
    "altered": OLD,
    "replaced": OLD,
    "dropped": OLD,
    "renamed": OLD,
}


def life(folder: Path, kind: str, stage: str) -> tuple[dict[str, Any], int]:
    """What a process has found, and how it ended."""
    called = [sys.executable, statements.__file__, str(folder), kind, stage]
    ran = subprocess.run(called, capture_output=True, text=True, timeout=300)
    told = f"{kind}, {stage}\n{ran.stderr[-4000:]}"
    assert ran.returncode in (0, -signal.SIGKILL), told
    return json.loads((folder / "found.json").read_text()), ran.returncode


def check(found: dict[str, Any], kind: str, after: str) -> None:
    told = f"{kind}, killed when {after}: {found}"
    ids = list(range(found["lives"]))
    assert found["pending"] == [], told
    assert set(found["objects"]) in (OLD, NEW[kind]), told
    assert found["views"]["good"] == ids, told
    more = found["views"]["old"][0]
    assert more in ((1, 2) if kind == "replaced" else (1,)), told
    assert found["views"]["old"] == [each + more for each in ids], told
    for row, id_ in zip(found["table"], ids, strict=True):
        assert (row.pop("id"), row.pop("v")) == (id_, "x"), told
        assert all(value == int(name[1:]) for name, value in row.items()), told
    if "new" in found["views"]:
        assert found["views"]["new"] == [len(ids)], told


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=() if kind == "created" else pytest.mark.soak)
        for kind in statements.KINDS
    ],
)
def test_killed_at_each_stage(tmp_path: Path, kind: str) -> None:
    """Each process looks at what the one before has left, and dies at the next stage."""
    before, died = "never", 0
    stages = [s for s in statements.STAGES if s != statements.TAKEN_BACK or kind == "refused"]
    for stage in [*stages, "none"]:
        found, code = life(tmp_path, kind, stage)
        check(found, kind, before)
        before = stage if code else f"it was not, at {stage}"
        died += code != 0
    assert died >= 3, "statements of this kind have other stages now"
    print(f"{kind}: {died} kills")
