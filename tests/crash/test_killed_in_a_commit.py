"""kill -9 at each point of a commit: all of the transaction counts, or nothing, at every epoch."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from crash import committing

pytestmark = pytest.mark.rest

NEVER, LOST, COUNTS = "never", "lost", "counts"
POINTS = {
    "first": LOST,
    "transaction.staged": LOST,
    "transaction.committed": COUNTS,
    "transaction.part:1": NEVER,  # of the one before, at the start
    "transaction.moved:1": NEVER,
    "transaction.found:2": COUNTS,
    "transaction.part:3": COUNTS,
    "transaction.part:4": COUNTS,
    "transaction.moved:2": COUNTS,
    "transaction.over:2": COUNTS,
    "before_publish:2": COUNTS,
    "after_publish:2": COUNTS,
    "none": COUNTS,
}
"""Where a life dies, and what becomes of its transaction: some die before they begin one."""


SOME = ("first", "transaction.staged", "transaction.committed", "transaction.part:4", "none")


@pytest.mark.parametrize(
    "points",
    [
        pytest.param(SOME, id="some points"),
        pytest.param(tuple(POINTS), id="every point", marks=pytest.mark.soak),
    ],
)
def test_killed_at_each_point_of_a_commit(tmp_path: Path, points: tuple[str, ...]) -> None:
    wanted = [0]
    for number, point in enumerate(points, start=1):
        becomes = POINTS[point]
        dies = "first" if point == "first" else "no"
        command = [sys.executable, committing.__file__, str(tmp_path), str(number), dies]
        env = {**os.environ, "GROUNDSWELL_FAILPOINT": point}
        ran = subprocess.run(command, capture_output=True, text=True, timeout=300, env=env)
        told = f"life {number}, {point}\n{ran.stderr[-4000:]}"
        assert (ran.returncode == 0) == (point == "none"), told
        assert point != "first" or ran.returncode == -signal.SIGKILL, told
        told_of = tmp_path / f"found-{number}.json"
        assert told_of.exists() == (becomes != NEVER), told
        if told_of.exists():
            found = json.loads(told_of.read_text())
            assert found["keys"] == {"a": wanted, "b": wanted}, f"{found} {told}"
            assert {tuple(each) for each in found["sums"]} == {(0,)}, f"{found} {told}"
        wanted += [number] if becomes == COUNTS else []
    print(f"{len(points) - 1} kills")
