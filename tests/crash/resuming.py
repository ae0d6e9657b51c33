"""Run as a script: a pipeline with a view that is filled in many parts; told so, it dies meanwhile.

Arguments: the folder, how the view is added (``add`` to the running query, or ``declare`` before
the start), the part of this process in which it dies (0: it does not), after how many
milliseconds of that part, and a seed. Each part that begins is a line of ``parts-<seed>``.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from pathlib import Path
from typing import Any

import groundswell as gs
from crash.rivals import killer, session
from groundswell import jvm
from groundswell.runtime.filling.fill import Fill
from groundswell.runtime.planning import unfilled as filling
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import EPOCHS, FOLDER

SCHEMA = "id bigint, k bigint, v bigint"
QUERY = "SELECT k, count(*) n, sum(v) s, max(v) m FROM t GROUP BY k"
ROWS = 1500
PARTS = 30


class Driver:
    """One process, as its arguments say."""

    def __init__(self, folder: Path, how: str, part: int, millis: int, seed: int) -> None:
        filling.PART_ROWS = ROWS // PARTS
        self.folder, self.how, self.part, self.millis = folder, how, part, millis
        self.chance = random.Random(seed)
        self.parts = folder / f"parts-{seed}"
        self.spark = session({})
        self.pipeline = gs.pipeline(self.spark, str(folder / "c"), retainEpochs=2, retireEvery=1)
        self.table = self.pipeline.table("t", SCHEMA, key="id")
        self.table.df.createOrReplaceTempView("t")
        self.pipeline.view("all", self.table.df)
        self.run: Any = None

    def change(self, rows: int) -> None:
        made = [
            (self.chance.randrange(2 * ROWS), self.chance.randrange(9), self.chance.randrange(99))
            for _ in range(rows)
        ]
        self.table.upsert(self.spark.createDataFrame(made, SCHEMA))
        gone = [(self.chance.randrange(2 * ROWS),)]
        self.table.delete(self.spark.createDataFrame(gone, "id bigint"))
        self.run.processAllAvailable()

    def arm(self) -> None:
        """Counts the parts; dies in one, or changes rows before it now and then."""
        die, begun, run = killer(self.spark), [0], Fill._run

        def counted(fill: Fill, epoch: Any, read: Any, part: Any) -> None:
            begun[0] += 1
            if self.run is not None and begun[0] % 3 == 0:
                self.change(5)
            with self.parts.open("a") as out:
                out.write(f"{'since' if part.since else part.number}\n")
            if begun[0] == self.part:
                threading.Timer(self.millis / 1000, die).start()
            run(fill, epoch, read, part)

        Fill._run = counted  # type: ignore[method-assign]

    def work(self) -> None:
        fresh = not (self.folder / "c" / "offsets").exists()
        if fresh:
            self.run = self.pipeline.start()
            for _ in range(2):
                self.change(ROWS)
            self.run.stop()
            self.run = None
        self.arm()
        if self.how == "declare":
            self.check_hidden()
            self.pipeline.view("sums", self.spark.sql(QUERY))
            self.run = self.pipeline.start()
        else:
            self.run = self.pipeline.start()
            self.change(20)
            self.check_hidden()
            self.run.addView("sums", self.spark.sql(QUERY))
        if self.part:
            time.sleep(self.millis / 1000 + 1)  # it was armed in the last part
        for _ in range(3):
            self.change(20)
        self.report()

    def check_hidden(self) -> None:
        """No reader sees the view before all of it is there."""
        home = jvm.JvmFolder.open(self.spark, str(self.folder / "c")).child(FOLDER)
        assert "sums" not in EpochLog(home.child(EPOCHS)).newest().views

    def report(self) -> None:
        seen = self.run.snapshot()
        seen["all"].createOrReplaceTempView("t")
        result = {
            "view": sorted([*row] for row in seen["sums"].collect()),
            "batch": sorted([*row] for row in self.spark.sql(QUERY).collect()),
            "unfinished": self.run.status["unfinished"],
        }
        self.run.stop()
        home = self.folder / "c" / "groundswell"
        result["left"] = sorted(each.name for each in (home / "state").iterdir())
        result["leases"] = [each.name for each in (home / "leases").glob("whole-*.json")]
        (self.folder / "result.json").write_text(json.dumps(result))
        self.spark.stop()


if __name__ == "__main__":
    where, how, *numbers = sys.argv[1:]
    Driver(Path(where), how, *map(int, numbers)).work()
