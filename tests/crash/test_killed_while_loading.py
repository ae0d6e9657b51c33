"""kill -9 in a first load that comes in parts: the next start goes on, and shows it once."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import groundswell as gs
from crash import loading
from groundswell.errors import EpochUnavailable

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))


def launch(folder: Path, step: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, loading.__file__, str(folder), str(step)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.rest
def test_killed_while_loading(tmp_path: Path) -> None:
    print(f"seed {SEED}")
    rng = random.Random(SEED)
    for step in (rng.randint(2, 6), rng.randint(1, 6)):  # a barrier has three steps
        assert launch(tmp_path, step).returncode == -9, f"seed {SEED}"
        with pytest.raises(EpochUnavailable):
            gs.view_to_arrow(str(tmp_path / "c"), "sums")
        assert (tmp_path / "delivered").read_text() == ""
    assert launch(tmp_path, loading.BEHIND).returncode == -9, f"seed {SEED}"
    ran = launch(tmp_path, 0)
    assert ran.returncode == 0, f"seed {SEED}\n{ran.stderr[-4000:]}"
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["view"] == result["batch"] != [], f"seed {SEED}"
    told = [json.loads(line) for line in (tmp_path / "delivered").read_text().splitlines()]
    assert len(told) == 2, f"seed {SEED}"  # again under the same number
    assert all(each == told[0] for each in told), f"seed {SEED}"
    assert told[0][1] == [[*row, "insert"] for row in result["batch"]]
