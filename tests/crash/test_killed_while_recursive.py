"""kill -9 between and within the rounds of a recursion: the next start runs the barrier again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from crash import recursive

TESTS = Path(__file__).resolve().parents[1]


def launch(
    folder: Path, master: str, barriers: int, seed: int, point: str = "", packs: str = ""
) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent / "python")])}
    env["GROUNDSWELL_PACKS"] = packs
    marker = folder / "killed-at"
    if point:
        env |= {"GROUNDSWELL_FAILPOINT": point, "GROUNDSWELL_FAILPOINT_MARKER": str(marker)}
    command = [sys.executable, recursive.__file__, str(folder), master, str(barriers), str(seed)]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, timeout=900)
    if point:
        assert marker.exists(), f"{point} was never reached:\n{ran.stderr[-4000:]}"
        marker.unlink()
    if not point or master != "local[2]":  # an executor that dies is no end
        assert ran.returncode == 0, ran.stderr[-4000:]
    else:
        assert ran.returncode != 0


def shortest(edges: list[list[int]]) -> list[list[int]]:
    far = {0: 0, 1: 0}
    for _ in range(20):
        for a, b, length in edges:
            if a in far:
                far[b] = min(far.get(b, 1 << 60), far[a] + length)
    return sorted([node, distance] for node, distance in far.items())


def check(folder: Path) -> None:
    result = json.loads((folder / "result.json").read_text())
    assert result["seen"] == shortest(result["edges"])
    net: Counter[Any] = Counter()
    for told in folder.glob("far-*.json"):
        for *row, what in json.loads(told.read_text()):
            net[tuple(row)] += 1 if what in ("insert", "update_postimage") else -1
    assert not -net
    assert +net == Counter(map(tuple, result["seen"]))


@pytest.mark.soak
def test_killed_between_and_within_rounds(tmp_path: Path) -> None:
    points = ("before_round:9", "after_task_commit:40", "before_task_commit:31", "before_publish:3")
    for seed, point in enumerate(points):
        launch(tmp_path, "local[2]", 6, seed, point)
    launch(tmp_path, "local[2]", 3, 99)
    check(tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("packs", ["task", "process"])
def test_an_executor_dies_within_rounds(tmp_path: Path, packs: str) -> None:
    """What it had in memory of earlier rounds is gone: the barrier is run again, from its base."""
    launch(tmp_path, "local-cluster[2,1,1024]", 8, 5, "after_task_commit:60", packs)
    check(tmp_path)
