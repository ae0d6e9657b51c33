"""``python -m groundswell refresh`` of TPC-H's views, and Spark alone computing them anew."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import deltalake

import groundswell as gs
from shared import process
from shared.session import session
from tpch import lake, tables
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
    cpu: float  # seconds of processor time of its JVM
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
    return Refreshed(taken, float(rows[0]), used.cpu, used.peak)


def compute(folder: Path, location: Path, memory: str) -> tuple[float, float]:
    """Seconds that Spark takes for all queries, cold and warm; compares them with the views."""
    spark = session("anew", {"spark.driver.memory": memory}, ours=False)
    with tempfile.TemporaryDirectory() as out:
        seconds = []
        for turn in range(2):  # the first warms the process up
            begun = time.monotonic()
            for name in tables.KEYS:
                files = deltalake.DeltaTable(str(folder / name)).file_uris()
                spark.read.parquet(*files).createOrReplaceTempView(name)
            for name, query in QUERIES.items():
                spark.sql(query).write.parquet(f"{out}/{turn}/{name}")
            seconds.append(time.monotonic() - begun)
        for name in QUERIES:
            anew = lake.rows(spark.read.parquet(f"{out}/1/{name}").toArrow())
            view = lake.rows(gs.view_to_arrow(str(location), name))
            assert view == anew, f"{name}: the view has {len(view)} rows, batch {len(anew)}"
    spark.stop()
    return seconds[0], seconds[1]
