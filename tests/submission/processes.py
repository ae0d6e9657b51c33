"""Programs in processes of their own, as users start them, on a Java that a test names."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from jdk import installed

HERE = Path(__file__).parent
WHOLE = HERE / "whole.py"
SUBMIT = Path(pyspark.__file__).parent / "bin" / "spark-submit"

ROWS = {"view": [["logs", 10.0], ["tides", 4.0]], "store": [[1, 5.0]], "sql": [[9, 1]]}
"""What ``whole.py`` says of its rows."""


def home_of(major: int) -> Path:
    """Of a JDK of this machine; the test is skipped where it has none."""
    found = installed().get(major)
    if found is None:
        pytest.skip(f"no JDK {major} on this machine: set JDK{major}_HOME, or install one")
    return found


def environment(cache: Path, **more: str) -> dict[str, str]:
    """Without the test run's own options of JVMs, and with a cache of its own."""
    kept = {key: value for key, value in os.environ.items() if key != "SPARK_SUBMIT_OPTS"}
    return {**kept, "SPARK_LOCAL_IP": "127.0.0.1", "XDG_CACHE_HOME": str(cache), **more}


def run(command: list, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    ran = subprocess.run(
        list(map(str, command)),
        env=environ,
        capture_output=True,
        text=True,
        timeout=580,
        check=False,
    )
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[-3000:]
    return ran


def said(ran: subprocess.CompletedProcess[str]) -> dict:
    line = next(line for line in ran.stdout.splitlines() if line.startswith("SAID "))
    return json.loads(line.removeprefix("SAID "))


def logged(ran: subprocess.CompletedProcess[str]) -> list[str]:
    """What we logged."""
    return [line for line in ran.stderr.splitlines() if line.startswith("LOG ")]
