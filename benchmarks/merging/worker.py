"""One row of the table: a pipeline on the first core, and a process that merges on the second."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import groundswell as gs
from crash.processes import end
from groundswell.format import States, Store, open_folder
from groundswell.runtime.record.epochs import EpochLog
from groundswell.state.documents import Documents
from shared.process import tell
from shared.session import pid, session


def cpu(jvm: int) -> float:
    """Seconds that the threads of merges have computed; each thread ends when it is idle."""
    ticks = 0
    for task in Path(f"/proc/{jvm}/task").iterdir():
        try:
            name, _, rest = (task / "stat").read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        if name.startswith("groundswell-com"):
            fields = rest.split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def sub_levels(location: Path) -> int:
    """The most that a partition has at the newest epoch."""
    home = open_folder(location / "groundswell")
    manifest = EpochLog(Documents(home).child("epochs")).newest()
    states = States(home.child("state"))
    return max(
        len(Store(states.store(state, p)).version(ref.version, ref.id).manifest.runs)
        for state, refs in manifest.commits.items()
        for p, ref in enumerate(refs)
        if ref.version and ref.id
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind")
    for name in ("keys", "rows", "barriers"):
        parser.add_argument(name, type=int)
    args = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[:1])
    spark = session("merging", {"spark.master": "local[1]"})
    other: subprocess.Popen[bytes] | None = None
    with tempfile.TemporaryDirectory(prefix="merging-") as name:
        location = Path(name) / "checkpoint"
        numbers = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", args.rows)
        changed = numbers.load().selectExpr(
            f"value * 7919 % {args.keys} AS id", "value % 1000 AS kind", "value"
        )
        table = gs.upserts(changed, key="id", name="items")
        compaction = "own" if args.kind == "own" else "elsewhere"
        p = gs.pipeline(spark, str(location), partitions=2, compaction=compaction)
        p.view("all", table.selectExpr("id", "kind", "value * 2 AS twice"))
        p.view("kinds", table.groupBy("kind").count())
        query = p.start(processingTime="0 seconds")
        try:
            while not query.lastProgress:
                time.sleep(0.05)
            if args.kind == "elsewhere":
                command = ["-m", "groundswell", "compact", str(location), "--master", "local[1]"]
                other = subprocess.Popen(
                    [sys.executable, *command, "--every", "0.2"],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                os.sched_setaffinity(other.pid, cores[-1:])
            while query.isActive and query.lastProgress["epoch"] < args.barriers:
                time.sleep(0.02)
            taken = sorted(
                b["barrierMillis"]
                for b in query.recentProgress
                if args.barriers // 2 <= b["epoch"] < args.barriers
            )
            merged = cpu(pid(spark))
        finally:
            query.stop()
            if other is not None:
                end(other)
        tell(
            {
                "median": taken[len(taken) // 2],
                "p99": taken[len(taken) * 99 // 100],
                "max": taken[-1],
                "cpu": merged,
                "subLevels": sub_levels(location),
            }
        )
    spark.stop()


if __name__ == "__main__":
    main()
