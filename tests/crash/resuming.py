"""Run as a script: a pipeline with a view that is filled in many parts; told so, it dies meanwhile.

Arguments: the folder; how the view is added (``add`` to the running query, ``declare`` before the
start, by ``statements``, or by a ``file`` of these that is run once); the part of this process in
which it gets a signal (0: it gets none), after how many milliseconds of that part; the signal; and
a seed. Each part that begins is a line of ``parts-<seed>``.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import groundswell as gs
from crash.rivals import session
from groundswell import jvm
from groundswell.runtime.backfill.fill import Fill
from groundswell.runtime.planning import unfilled as filling
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import EPOCHS, FOLDER
from groundswell.sql.console.file import read_file
from groundswell.sql.console.script import Script
from groundswell.sql.executor import REGISTRY

SCHEMA = "id bigint, k bigint, v bigint"
QUERY = "SELECT k, count(*) n, sum(v) s, max(v) m FROM {} GROUP BY k"
ROWS = 1500
PARTS = 30
SQL = ("statements", "file")
WITH = "WITH (retainEpochs = 2, retireEvery = 1)"
FILE = f"""CREATE PIPELINE IF NOT EXISTS p LOCATION '{{}}' {WITH};
CREATE TABLE IF NOT EXISTS t (id bigint PRIMARY KEY, k bigint, v bigint);
CREATE MATERIALIZED VIEW IF NOT EXISTS all_rows AS SELECT * FROM t;
INSERT INTO t SELECT id, id % 9, (id * id) % 97 FROM range({ROWS});
FLUSH;
CREATE MATERIALIZED VIEW IF NOT EXISTS sums AS {QUERY.format("t")};
INSERT INTO t VALUES (7, 1, 5);
FLUSH;
SELECT * FROM sums;
"""


class Driver:
    """One process, as its arguments say."""

    def __init__(
        self, folder: Path, how: str, part: int, millis: int, number: int, seed: int
    ) -> None:
        filling.PART_ROWS = ROWS // PARTS
        self.folder, self.how, self.part = folder, how, part
        self.seconds, self.number = millis / 1000, number
        self.chance = random.Random(seed)
        self.parts = folder / f"parts-{seed}"
        self.spark = session({})
        self.location = str(folder / "c")
        self.run: Any = None
        if how in SQL:
            return
        self.pipeline = gs.pipeline(self.spark, self.location, retainEpochs=2, retireEvery=1)
        self.table = self.pipeline.table("t", SCHEMA, key="id")
        self.table.df.createOrReplaceTempView("t")
        self.pipeline.view("all_rows", self.table.df)

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
        """Counts the parts; gets the signal in one, or changes rows before it now and then."""
        end, begun, run = ender(self.spark, self.number), [0], Fill._run

        def counted(fill: Fill, epoch: Any, read: Any, part: Any) -> None:
            begun[0] += 1
            assert not self.is_there()
            if self.run is not None and begun[0] % 3 == 0:
                self.change(5)
            with self.parts.open("a") as out:
                out.write(f"{'since' if part.since else part.number}\n")
            if begun[0] == self.part:
                threading.Timer(self.seconds, end).start()
            run(fill, epoch, read, part)

        Fill._run = counted  # type: ignore[method-assign]

    def work(self) -> None:
        fresh = not (self.folder / "c" / "offsets").exists()
        if fresh and self.how not in SQL:
            self.run = self.pipeline.start()
            for _ in range(2):
                self.change(ROWS)
            self.run.stop()
            self.run = None
        self.arm()
        getattr(self, self.how)()
        if self.part:
            time.sleep(self.seconds + 1)  # it was armed in the last part
        self.report()

    def add(self) -> None:
        if self.is_there():  # the one before died after the switch
            self.declare()
            return
        self.run = self.pipeline.start()
        self.change(20)
        self.run.addView("sums", self.spark.sql(QUERY.format("t")))
        for _ in range(3):
            self.change(20)

    def declare(self) -> None:
        self.pipeline.view("sums", self.spark.sql(QUERY.format("t")))
        self.run = self.pipeline.start()
        for _ in range(3):
            self.change(20)

    def statements(self) -> None:
        for text in filter(None, map(str.strip, FILE.format(self.location).split(";"))):
            self.spark.sql(text)
            self.spark.sql("USE groundswell.p")
        pipeline = REGISTRY.find(self.spark, "p")
        assert pipeline is not None and pipeline.running
        pipeline.stop()

    def file(self) -> None:
        path = self.folder / "p.sql"
        path.write_text(FILE.format(self.location))
        Script(self.spark, read_file(str(path)), once=True, out=lambda _: None).run()
        pipeline = REGISTRY.find(self.spark, "p")
        assert pipeline is not None and pipeline.query is None

    def is_there(self) -> bool:
        """Whether readers see the view."""
        home = jvm.JvmFolder.open(self.spark, self.location).child(FOLDER)
        try:
            return "sums" in EpochLog(home.child(EPOCHS)).newest().views
        except gs.EpochUnavailable:  # a process that stood still has listed those before
            return False

    def report(self) -> None:
        if self.run is not None:
            assert self.run.status["unfinished"] == []
            self.run.stop()
        seen = gs.snapshot(self.spark, self.location)
        seen["all_rows"].createOrReplaceTempView("there")
        result = {
            "view": sorted([*row] for row in seen["sums"].collect()),
            "batch": sorted([*row] for row in self.spark.sql(QUERY.format("there")).collect()),
        }
        home = self.folder / "c" / "groundswell"
        result["left"] = sorted(each.name for each in (home / "state").iterdir())
        result["leases"] = [each.name for each in (home / "leases").glob("whole-*.json")]
        (self.folder / "result.json").write_text(json.dumps(result))
        self.spark.stop()


def ender(spark: SparkSession, number: int) -> Any:
    """What sends a signal to both processes of this driver."""
    java: Any = spark.sparkContext._jvm
    pid = int(java.java.lang.ProcessHandle.current().pid())

    def end() -> None:
        for each in (pid, os.getpid()):
            os.kill(each, signal.Signals(number))

    return end


if __name__ == "__main__":
    where, how, *numbers = sys.argv[1:]
    Driver(Path(where), how, *map(int, numbers)).work()
