"""One process: a session, then twice twenty barriers over files of CSV, and what each took.

``python -m start.worker view`` has a view; ``spark`` has Spark's own streaming aggregation instead,
with none of our code and a sink that does nothing. For each step it tells the seconds, and those of
processor time that this process and its JVM took.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from shared.process import cpu_seconds, tell

BARRIERS = 20
QUERY = "SELECT a, count(*) n, sum(b) t, max(b) m FROM s GROUP BY a"


def write(folder: Path, rows: int) -> None:
    """A file a barrier, with times that order them."""
    folder.mkdir()
    for number in range(BARRIERS):
        path = folder / f"{number:03d}.csv"
        path.write_text("".join(f"{(i * 7919 + number) % 500},{i}\n" for i in range(rows)))
        os.utime(path, (number + 1, number + 1))


def started(kind: str, frame: DataFrame, location: str) -> Any:
    """The query, which runs by now."""
    if kind == "view":
        kept = frame.incremental()  # type: ignore[operator]
        return kept.writeStream.option("checkpointLocation", location).toView("v")
    writer = frame.writeStream.outputMode("update").format("noop")
    return writer.option("checkpointLocation", location).start()


class Clock:
    """Seconds since it was made, of time and of processors."""

    def __init__(self) -> None:
        self._begun = time.perf_counter(), self._used()

    def read(self) -> tuple[float, float]:
        return time.perf_counter() - self._begun[0], self._used() - self._begun[1]

    @staticmethod
    def _used() -> float:
        gateway: Any = SparkContext._gateway
        return time.process_time() + (cpu_seconds(gateway.proc.pid) if gateway else 0.0)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("kind", choices=("view", "spark"))
    kind = options.parse_args().kind
    clock = Clock()
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    spark = (gs.configure(builder) if kind == "view" else builder).getOrCreate()
    taken = {"session": clock.read()}
    with tempfile.TemporaryDirectory() as work:
        write(Path(work) / "in", int(os.environ.get("ROWS", "50000")))
        stream = spark.readStream.schema("a int, b int").option("maxFilesPerTrigger", 1)
        stream.csv(f"{work}/in").createOrReplaceTempView("s")
        for turn in ("run", "warm"):
            clock = Clock()
            query = started(kind, spark.sql(QUERY), f"{work}/{turn}")
            while not query.recentProgress:
                time.sleep(0.01)
            if turn == "run":
                taken["first"] = clock.read()
            query.processAllAvailable()
            taken[turn] = clock.read()
            query.stop()
    spark.stop()
    tell(taken)


if __name__ == "__main__":
    main()
