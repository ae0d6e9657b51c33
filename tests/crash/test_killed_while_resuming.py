"""kill -9 several times in one fill: each run goes on where the one before was cut off."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crash import resuming
from crash.processes import end, send

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))
KILLS = 4
HOWS = {"python": ["add", "add", "declare"], "sql": ["statements", "statements", "file"]}


def command(folder: Path, how: str, part: int, millis: int, number: int, seed: int) -> list[str]:
    given = [str(folder), how, *map(str, (part, millis, number, seed))]
    return [sys.executable, resuming.__file__, *given]


def parts(folder: Path, seed: int) -> list[str]:
    """What a process has begun."""
    path = folder / f"parts-{seed}"
    return path.read_text().split() if path.exists() else []


def check(folder: Path, told: str) -> None:
    """The view is what batch Spark says, and nothing is left of its fill."""
    result = json.loads((folder / "result.json").read_text())
    assert result["view"] == result["batch"] != [], told
    assert result["leases"] == [], told
    assert not [name for name in result["left"] if name.startswith("scratch-")], told


@pytest.mark.soak
@pytest.mark.parametrize("hows", HOWS.values(), ids=HOWS)
def test_killed_while_resuming(tmp_path: Path, hows: list[str]) -> None:
    """At random points of random parts, beside barriers and in a start; then it comes to its end.

    Of each run at most the part that was cut off is computed again.
    """
    chance, said = random.Random(SEED), [f"seed {SEED}"]
    for number in range(KILLS + 1):
        how = chance.choice(hows)
        part = chance.randrange(2, 8) if number < KILLS else 0
        millis = chance.randrange(400)
        called = command(tmp_path, how, part, millis, signal.SIGKILL, SEED + number)
        ran = subprocess.run(called, capture_output=True, text=True, timeout=300)
        said.append(f"{how}, part {part}, {millis} ms: " + " ".join(parts(tmp_path, SEED + number)))
        told = "\n".join([*said, ran.stderr[-4000:]])
        if ran.returncode == 0:
            break
        assert ran.returncode == -signal.SIGKILL, told
    check(tmp_path, told)
    taken = [parts(tmp_path, SEED + number) for number in range(KILLS + 1)]
    numbers = [[int(part) for part in each if part != "since"] for each in taken]
    begun = -1
    for now in filter(None, numbers):
        assert now == list(range(now[0], now[-1] + 1)), told
        assert begun <= now[0] <= begun + 1, told
        begun = now[-1]
    assert len(list(filter(None, numbers))) > 2, told
    print("\n".join(said))


@pytest.mark.soak
def test_an_older_process_that_wakes_up_fills_nothing_more(tmp_path: Path) -> None:
    """It stands still inside of a part while another process goes on with the fill to its end."""
    chance = random.Random(SEED)
    part, millis = chance.randrange(2, 20), chance.randrange(300)
    called = command(tmp_path, "add", part, millis, signal.SIGSTOP, SEED)
    older = subprocess.Popen(called, stderr=subprocess.PIPE, text=True)
    try:
        stat = Path(f"/proc/{older.pid}/stat")
        while stat.read_text().rpartition(")")[2].split()[0] != "T":
            assert older.poll() is None, f"seed {SEED}"
            time.sleep(0.1)
        begun = parts(tmp_path, SEED)
        called = command(tmp_path, "add", 0, 0, signal.SIGKILL, SEED + 1)
        later = subprocess.run(called, capture_output=True, text=True, timeout=300)
        told = f"seed {SEED}, part {part}, {millis} ms\n{later.stderr[-4000:]}"
        assert later.returncode == 0, told
        check(tmp_path, told)
        assert int(parts(tmp_path, SEED + 1)[0]) in (int(begun[-1]), int(begun[-1]) + 1), told
        send(signal.SIGCONT, older.pid)
        _, errors = older.communicate(timeout=300)
    finally:
        end(older)
    # Fenced, unless a file that it was about to read is gone by then.
    assert older.returncode not in (0, None), f"{told}\n{errors[-4000:]}"
    print(told.splitlines()[0], errors.strip().splitlines()[-1])
    assert len(parts(tmp_path, SEED)) <= len(begun) + 1, told
    called = command(tmp_path, "declare", 0, 0, signal.SIGKILL, SEED + 2)
    again = subprocess.run(called, capture_output=True, text=True, timeout=300)
    assert again.returncode == 0, f"{told}\n{again.stderr[-4000:]}"
    check(tmp_path, told)
    assert parts(tmp_path, SEED + 2) == [], told
