"""One cell: barriers of a pipeline with so many partitions and views, in a process of its own.

Every other barrier brings rows, the others bring none. CPU time is what the kernel counts for each
thread, in nanoseconds: *tasks* are the threads that run Spark's tasks, *driver* is Python and all
other threads of the JVM but those that compile and collect garbage. What *retiring* takes of it is
told beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import groundswell as gs
from groundswell import jvm
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import EPOCHS
from shared import threads
from shared.barriers import after_each
from shared.process import tell
from shared.session import pid, session

GROUPS = 500
RETAIN = 100


def write(folder: Path, barriers: int, rows: int) -> None:
    """A file a barrier, every other one without rows."""
    for number in range(barriers):
        count = rows if number % 2 == 0 else 0
        lines = [
            json.dumps({"id": number * rows + i, "g": (i * 7919 + number) % (8 * GROUPS)})
            for i in range(count)
        ]
        path = folder / f"{number:06d}.json"
        path.write_text("\n".join(lines) + "\n")
        os.utime(path, (number + 1, number + 1))


class Clocks:
    """CPU time by kind of thread, and what a barrier tells, whenever one has noted its end."""

    def __init__(self, spark: SparkSession) -> None:
        self._pid = pid(spark)
        self.ends: list[dict[str, float]] = []
        self.told: list[dict[str, Any]] = []
        after_each(self._note)

    def _note(self, barrier: dict[str, Any]) -> None:
        self.ends.append(self._now())
        self.told.append(barrier)

    def _now(self) -> dict[str, float]:
        found = threads.spent(self._pid)
        return {**found, "driver": found["driver"] + time.process_time() * 1000}

    def spent(self) -> list[dict[str, float]]:
        """Milliseconds of each barrier; the first has none before it."""
        pairs = zip(self.ends, self.ends[1:], strict=False)
        return [{}] + [{k: max(b[k] - a[k], 0.0) for k in b} for a, b in pairs]


def behind(state: Path, oldest: dict[str, Any], newest: dict[str, Any]) -> int:
    """Commits below the oldest needed version, of any partition at most; merges free the last."""
    worst = 0
    for name, commits in newest.items():
        needed = oldest.get(name, commits) if name.startswith("view-") else commits
        for partition, commit in enumerate(needed):
            folder = state / name / str(partition)
            versions = [int(f.name.split("-")[0]) for f in folder.glob("*.commit")]
            worst = max(worst, sum(1 for version in versions if version < commit.version))
    return worst


def packs_behind(packs: Path, oldest: int) -> int:
    """Epochs below the oldest that is kept of which there are packs."""
    return len({int(f.name[:20]) for f in packs.glob("*.pack") if int(f.name[:20]) < oldest})


def changes(manifests: Iterator[Any]) -> list[int]:
    """Objects with commits that each epoch names and the one before did not, and its manifest."""
    counts, known = [], set[Any]()
    for manifest in manifests:
        named = {
            commit.id if commit.id.startswith("00") else (state, number, commit.version, commit.id)
            for state, commits in manifest.commits.items()
            for number, commit in enumerate(commits)
            if commit.version
        }
        counts.append(len(named - known) + 1)
        known = named
    return counts


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("partitions", type=int)
    parser.add_argument("views", type=int)
    parser.add_argument("barriers", type=int)
    parser.add_argument("warm", type=int)
    parser.add_argument("rows", type=int)
    args = parser.parse_args()
    kept = {"spark.sql.streaming.numRecentProgressUpdates": str(2 * args.barriers)}
    spark = session("scale", {"spark.driver.memory": "3g", **kept})
    with tempfile.TemporaryDirectory(prefix="scale-") as home:
        files, place = Path(home) / "in", Path(home) / "checkpoint"
        files.mkdir()
        write(files, args.barriers, args.rows)
        options = {"maxFilesPerTrigger": "1"}
        source = spark.readStream.schema("id bigint, g bigint").options(**options).json(str(files))
        p = gs.pipeline(spark, str(place), partitions=args.partitions, retainEpochs=RETAIN)
        for view in range(args.views):
            keyed = source.selectExpr(f"(g + {view}) % {GROUPS} AS g{view}", "id")
            p.view(f"v{view}", keyed.groupBy(f"g{view}").agg({"id": "sum", "*": "count"}))
        clocks = Clocks(spark)
        run = p.start(availableNow=True)
        run.awaitTermination()
        spent = clocks.spent()
        progress = [each for each in run._query.recentProgress if "addBatch" in each.durationMs]
        own = clocks.told
        log = EpochLog(jvm.JvmFolder.open(spark, str(place / "groundswell" / EPOCHS)))
        epochs = log.epochs()
        objects = dict(zip(epochs[1:], changes(log.get(e) for e in epochs)[1:], strict=True))
        sizes = dict[int, int]()  # with what it is told against, if that was written with it
        for f in (place / "groundswell" / EPOCHS).iterdir():
            sizes[int(f.name[:20])] = sizes.get(int(f.name[:20]), 0) + f.stat().st_size
        state = place / "groundswell" / "state"
        late = behind(state, dict(log.get(epochs[0]).commits), dict(log.get(epochs[-1]).commits))
        late = max(late, packs_behind(state / "_packs", epochs[0]))
        barriers = [
            {
                "full": bool(mine["inputRows"]),
                "wall": float(each.durationMs["triggerExecution"]),
                **used,
                "epoch": mine["epoch"],
                "parts": {**each.durationMs, **mine["millis"]},
                "retire": mine.get("retirement", {}).get("millis"),
                "objects": objects.get(mine["epoch"]),
                "manifest": sizes.get(mine["epoch"]),
            }
            for each, used, mine in zip(progress, spent, own, strict=True)
        ][args.warm :]
        tell({"barriers": barriers, "behind": late, "retire": own[-1].get("retirement")})
    spark.stop()


if __name__ == "__main__":
    main()
