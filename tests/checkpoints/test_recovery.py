"""The first batch after a restart reads what it needs, not the state."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoints import recovery

pytestmark = pytest.mark.rest

PERCENT = 5


def run(folder: Path, tools: Path, mode: str) -> dict[str, int]:
    command = [sys.executable, str(Path(recovery.__file__)), str(folder), str(tools), mode]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("rows", "changed", "mode"),
    [
        pytest.param(300_000, 20, "plain", id="40 MB"),
        # As 500 rows of a gigabyte in storage.
        pytest.param(1_200_000, 75, "plugin", id="150 MB", marks=pytest.mark.soak),
    ],
)
def test_the_first_batch_reads_a_small_part(
    test_tools: Path, tmp_path: Path, rows: int, changed: int, mode: str
) -> None:
    recovery.add_rows(tmp_path, rows, 1)
    loaded = run(tmp_path, test_tools, mode)
    assert loaded["rows"] == rows and loaded["state"] > 100 * rows, loaded
    recovery.add_rows(tmp_path, rows, rows // changed)
    first = run(tmp_path, test_tools, mode)
    print(first)
    assert first["updated"] == changed and first["rows"] == rows, first
    assert first["read"] < loaded["live"] * PERCENT // 100, first


@pytest.mark.soak
def test_a_batch_that_touches_most_of_the_state_waits_for_few_requests(
    test_tools: Path, tmp_path: Path
) -> None:
    rows, changed = 1_200_000, 12_000
    recovery.add_rows(tmp_path, rows, 1)
    loaded = run(tmp_path, test_tools, "plugin")
    recovery.add_rows(tmp_path, rows, rows // changed)
    first = run(tmp_path, test_tools, "plugin")
    print(first)
    assert first["updated"] == changed and first["rows"] == rows, first
    assert first["gets"] < 2 * (loaded["state"] >> 20) and first["read"] < loaded["state"], first
