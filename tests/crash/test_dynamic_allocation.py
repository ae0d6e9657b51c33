"""Spark gives executors and takes them away while states get another number of partitions."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from crash import allocating

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))


@pytest.mark.soak
def test_rescaled_while_executors_come_and_go(jar: Path, tmp_path: Path) -> None:
    command = [sys.executable, allocating.__file__, str(tmp_path), str(SEED)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert ran.returncode == 0, f"seed {SEED}\n{ran.stderr[-4000:]}"
    steps = json.loads((tmp_path / "result.json").read_text())
    print(*steps, sep="\n")
    assert {step["executors"] for step in steps} == {1, allocating.MOST}
    assert len(steps) == 9 and all(step["rows"] > 50 for step in steps)
    assert all(step["equal"] for step in steps), f"seed {SEED}: {steps}"
