"""kill -9 several times in one fill: each run goes on where the one before was cut off."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from crash import resuming

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))
KILLS = 4


def launch(
    folder: Path, how: str, part: int, millis: int, seed: int
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """How a process ended, and the parts that it has begun."""
    given = [str(folder), how, *map(str, (part, millis, seed))]
    command = [sys.executable, resuming.__file__, *given]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    parts = folder / f"parts-{seed}"
    return ran, parts.read_text().split() if parts.exists() else []


@pytest.mark.soak
def test_killed_while_resuming(tmp_path: Path) -> None:
    """At random points of random parts, beside barriers and in a start; then it comes to its end.

    Of each run at most the part that was cut off is computed again.
    """
    chance, said = random.Random(SEED), [f"seed {SEED}"]
    taken: list[list[str]] = []
    for number in range(KILLS + 1):
        how = chance.choice(["add", "add", "declare"])
        part = chance.randrange(2, 8) if number < KILLS else 0
        millis = chance.randrange(400)
        said.append(f"{how}, part {part}, {millis} ms")
        ran, parts = launch(tmp_path, how, part, millis, SEED + number)
        taken.append(parts)
        said.append(" ".join(parts))
        told = "\n".join([*said, ran.stderr[-4000:]])
        if ran.returncode == 0:
            break
        assert ran.returncode == -9, told
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["view"] == result["batch"] != [], told
    assert result["unfinished"] == [] and result["leases"] == [], told
    assert not [name for name in result["left"] if name.startswith("scratch-")], told
    numbers = [[int(part) for part in parts if part != "since"] for parts in taken]
    begun = -1
    for now in filter(None, numbers):
        assert now == list(range(now[0], now[-1] + 1)), told
        assert begun <= now[0] <= begun + 1, told
        begun = now[-1]
    assert len(numbers) > 2, told
    print("\n".join(said))
