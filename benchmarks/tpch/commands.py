"""``python -m groundswell refresh`` of TPC-H's views, and Spark alone beside it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from shared import process
from tpch.queries import QUERIES

QUIET = (
    "spark.driver.bindAddress=127.0.0.1",
    "spark.driver.host=127.0.0.1",
    "spark.ui.enabled=false",
    "spark.ui.showConsoleProgress=false",
    "spark.log.level=ERROR",
)


class Refreshed(NamedTuple):
    """What one call of the command took."""

    whole: float  # seconds of the command
    itself: float  # seconds of the refresh, without the start of the process
    cpu: float  # seconds of processor time of all its processes
    python: float  # of them those of Python
    peak: int  # bytes that its JVM had in memory at most


def refresh(
    file: Path, memory: str, show: bool, confs: Mapping[str, str] | None = None
) -> Refreshed:
    """Runs the command with two cores, and a driver's heap of ``memory``, as ``-Xmx`` takes it."""
    begun = time.monotonic()
    command = [sys.executable, "-m", "groundswell", "refresh", str(file), "--master", "local[2]"]
    given = {"spark.sql.shuffle.partitions": "2", "spark.driver.memory": memory, **(confs or {})}
    for conf in (*(f"{name}={value}" for name, value in given.items()), *QUIET):
        command += ["--conf", conf]
    with process.Watched() as used:
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)
    if done.returncode:
        sys.exit(done.stderr[-4000:])
    taken = time.monotonic() - begun
    shown = done.stdout[done.stdout.index("view ") :] if "view " in done.stdout else done.stdout
    if show:
        print(shown)
    rows = re.findall(r"^q\d+ .*?(\d+\.\d+) +(?:incremental|full|nothing)", shown, re.MULTILINE)
    assert len(rows) == len(QUERIES), done.stdout[-4000:]
    return Refreshed(taken, float(rows[0]), used.cpu, used.python, used.peak)


class Computed(NamedTuple):
    """What Spark alone took in a process of its own: a figure for each turn, the first one cold."""

    seconds: list[float]  # of the 22 queries, without the start of the process
    cpu: list[float]  # of processor time of both processes; the first with their start
    peak: int  # bytes that the JVM had in memory at most


def compute(folder: Path, location: Path, memory: str, turns: int = 1) -> Computed:
    """Has Spark compute all queries ``turns`` times; ends the program if a view differs."""
    said = process.measured("tpch.anew", str(folder), str(location), memory, str(turns))
    if said["different"]:
        sys.exit(f"views that differ from batch Spark's results: {', '.join(said['different'])}")
    return Computed(said["seconds"], said["cpu"], said["peak"])
