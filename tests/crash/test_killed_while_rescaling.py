"""kill -9 in the middle of a rescale: the next start finds the states as before it, or after it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from crash import rescaling

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))
POINTS = (
    "rescale.before-commit:1",
    "rescale.before-commit:9",
    "rescale.before-publish:1",
    "rescale.after-publish:1",
)


def launch(
    folder: Path, partitions: int, seed: int, point: str = ""
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, rescaling.__file__, str(folder), str(partitions), str(seed)]
    env = {**os.environ, "GROUNDSWELL_FAILPOINT": point} if point else None
    return subprocess.run(command, capture_output=True, text=True, timeout=600, env=env)


@pytest.mark.soak
def test_killed_while_rescaling(tmp_path: Path) -> None:
    for turn, point in enumerate(POINTS):
        ran = launch(tmp_path, (5, 3, 4, 1)[turn], SEED + turn, point)
        assert ran.returncode != 0 and "Traceback" in ran.stderr, f"seed {SEED}, {point}"
        assert not (tmp_path / "result.json").exists(), f"{point} was not reached"
    ran = launch(tmp_path, 3, SEED)
    assert ran.returncode == 0, f"seed {SEED}\n{ran.stderr[-4000:]}"
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["equal"] and result["rows"] > 50, f"seed {SEED}"
