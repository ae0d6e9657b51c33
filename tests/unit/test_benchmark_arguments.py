"""What a benchmark is asked for is looked at before anything starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATH = f"{ROOT / 'python'}:{ROOT / 'benchmarks'}"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fill", "--scale", "0"], "argument --scale: 0 is given, and it must be above 0"),
        (["fill", "--part-rows", "many"], "argument --part-rows: 'many' is no whole number"),
        (["refresh", "--scale", "nan"], "argument --scale: nan is given, and it must be above 0"),
        (["large", "--events", "-1"], "argument --events: -1 is given, and 1 is the least"),
    ],
)
def test_a_benchmark_of_nothing_is_refused(arguments: list[str], said: str) -> None:
    environ = {**os.environ, "PYTHONPATH": PATH}
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, env=environ, capture_output=True, text=True)
    assert (done.returncode, done.stderr.splitlines()[-1].partition("error: ")[2]) == (2, said)
