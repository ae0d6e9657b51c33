"""kill -9 while a view is filled beside running barriers: the next start goes on, and adds it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from crash import filling

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))


def launch(folder: Path, step: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, filling.__file__, str(folder), str(step), str(SEED + step)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.soak
def test_killed_while_filling(tmp_path: Path) -> None:
    """Once before the first part, once between two; then it comes to its end."""
    for step in (1, 4):
        assert launch(tmp_path, step).returncode == -9, f"seed {SEED}"
        assert not (tmp_path / "result.json").exists()
    ran = launch(tmp_path, 0)
    assert ran.returncode == 0, f"seed {SEED}\n{ran.stderr[-4000:]}"
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["view"] == result["batch"] != [], f"seed {SEED}"
    assert not [name for name in result["left"] if name.startswith("scratch-")]
