"""kill -9 while views are recomputed: the next start runs the barrier, whatever its policy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from crash import anew

TESTS = Path(__file__).resolve().parents[1]


def launch(folder: Path, policy: str, barriers: int, seed: int, point: str = ":0") -> int:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent / "python")])}
    told = [policy, str(barriers), str(seed), *point.split(":")]
    command = [sys.executable, anew.__file__, str(folder), *told]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, timeout=900)
    assert ran.returncode == 0 or point != ":0", ran.stderr[-4000:]
    return ran.returncode


def delivered(folder: Path, view: str) -> Counter[Any]:
    """What all epochs together told a sink that takes each once."""
    net: Counter[Any] = Counter()
    for told in folder.glob(f"{view}-*.json"):
        for *row, what in json.loads(told.read_text()):
            net[tuple(row)] += 1 if what in ("insert", "update_postimage") else -1
    assert not -net
    return +net


@pytest.mark.soak
@pytest.mark.parametrize("point", ["before_anew:2", "before_publish:3", "after_publish:3"])
def test_killed_while_views_are_computed_anew(tmp_path: Path, point: str) -> None:
    assert launch(tmp_path, "FULL", 5, 1, point) == -9
    assert not (tmp_path / "result.json").exists()
    for seed, policy in ((2, "INCREMENTAL"), (3, "FULL")):
        launch(tmp_path, policy, 2, seed)
        result = json.loads((tmp_path / "result.json").read_text())
        assert result["seen"] == result["right"]
        for view, rows in result["right"].items():
            assert rows
            assert delivered(tmp_path, view) == Counter(map(tuple, rows)), view
