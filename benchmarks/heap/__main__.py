"""Runs small barriers for long, and weighs the live heap of driver and executors on the way.

Every barrier changes the same keys, so the state stays as large as it is: what grows is a leak.
``jmap -histo:live`` collects first, and counts what is left. Ends with 1 if a heap grew.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from pyspark.sql import SparkSession

import groundswell as gs
from jdk import find_jdk
from shared import session
from shared.arguments import positive_float, positive_int
from shared.growth import growth

CONFS = {
    "spark.executorEnv.PYTHONPATH": ":".join(sys.path),
    "spark.driver.memory": "1g",
    "spark.executor.memory": "768m",
    "spark.groundswell.cacheSize": "8m",  # full soon: what grows then is not a cache
    # Spark keeps a thousand of each for its UI; with fewer its own share is level sooner.
    **{
        f"spark.{kept}": "20"
        for kept in (
            "ui.retainedJobs",
            "ui.retainedStages",
            "ui.retainedTasks",
            "sql.ui.retainedExecutions",
            "sql.streaming.ui.retainedQueries",
            "sql.streaming.numRecentProgressUpdates",
        )
    },
}
KEYS = 200
ROWS = 40


def start(spark: SparkSession, folder: Path) -> Any:
    """Two views over a keyed table whose rows change with every barrier."""
    numbers = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", ROWS).load()
    changed = numbers.selectExpr(f"value * 7 % {KEYS} AS id", "value % 10 AS kind", "value")
    table = gs.upserts(changed, key="id", name="items")
    p = gs.pipeline(spark, str(folder / "checkpoint"), partitions=4, retainEpochs=20)
    p.view("kinds", table.groupBy("kind").count())
    p.view("large", table.where("value % 3 = 0"))
    return p.start(processingTime="0 seconds")


def processes(driver: int) -> dict[str, int]:
    """Process ids of the JVMs: of the driver, and of the executors that it has started."""
    listed = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    ).stdout
    found = {"driver": driver}
    for line in listed.splitlines():
        pid, parent, args = line.split(None, 2)
        if int(parent) == driver and "CoarseGrainedExecutorBackend" in args:
            number = re.search(r"--executor-id (\d+)", args)
            found[f"executor {number[1] if number else pid}"] = int(pid)
    return found


def live_bytes(pid: int) -> int:
    """Bytes on the heap after a full collection."""
    jmap = find_jdk().javac.with_name("jmap")
    said = subprocess.run(
        [str(jmap), "-histo:live", str(pid)], capture_output=True, text=True, check=True
    ).stdout
    return int(said.strip().splitlines()[-1].split()[2])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="heap", description=__doc__)
    parser.add_argument("--barriers", type=positive_int, default=20_000)
    parser.add_argument("--samples", type=positive_int, default=20)
    parser.add_argument(
        "--most", type=positive_float, default=64.0, help="bytes a barrier that are no leak"
    )
    parser.add_argument("--json", type=Path, help="where to write what was measured")
    given = parser.parse_args(arguments)
    spark = session.session("heap", {"spark.master": "local-cluster[2,1,1024]", **CONFS})
    found: dict[str, list[tuple[int, int]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        query = start(spark, Path(folder))
        began = time.monotonic()
        for sample in range(1, given.samples + 1):
            wanted = sample * given.barriers // given.samples
            while query.isActive and (query.lastProgress or {"epoch": -1})["epoch"] < wanted:
                time.sleep(0.2)
            if not query.isActive:
                raise query.exception()
            epoch = query.lastProgress["epoch"]
            for name, pid in processes(session.pid(spark)).items():
                found.setdefault(name, []).append((epoch, live_bytes(pid)))
            sizes = ", ".join(f"{name} {s[-1][1] / 1e6:.1f} MB" for name, s in found.items())
            print(f"epoch {epoch} after {time.monotonic() - began:.0f} s: {sizes}", flush=True)
        query.stop()
    spark.stop()
    slopes = {name: growth(samples) for name, samples in found.items()}
    for name, slope in slopes.items():
        print(f"{name}: {slope:+.0f} bytes a barrier in the end")
    if given.json:
        given.json.write_text(json.dumps({"samples": found, "slopes": slopes}, indent=1))
    return int(any(slope > given.most for slope in slopes.values()))


if __name__ == "__main__":
    raise SystemExit(main())
