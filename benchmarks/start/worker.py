"""One process: a session, then twenty barriers over files of CSV, and what each took."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from pyspark.sql import SparkSession

import groundswell as gs
from shared.process import tell

BARRIERS = 20
QUERY = "SELECT a, count(*) n, sum(b) t, max(b) m FROM s GROUP BY a"


def write(folder: Path, rows: int) -> None:
    """A file a barrier, with times that order them."""
    folder.mkdir()
    for number in range(BARRIERS):
        path = folder / f"{number:03d}.csv"
        path.write_text("".join(f"{(i * 7919 + number) % 500},{i}\n" for i in range(rows)))
        os.utime(path, (number + 1, number + 1))


def main() -> None:
    begun = time.perf_counter()
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = gs.configure(builder.config("spark.sql.shuffle.partitions", "2")).getOrCreate()
    session = time.perf_counter() - begun
    with tempfile.TemporaryDirectory() as work:
        write(Path(work) / "in", int(os.environ.get("ROWS", "50000")))
        stream = spark.readStream.schema("a int, b int").option("maxFilesPerTrigger", 1)
        stream.csv(f"{work}/in").createOrReplaceTempView("s")
        asked = time.perf_counter()
        writer = spark.sql(QUERY).incremental().writeStream
        query = writer.option("checkpointLocation", f"{work}/out").toView("v")
        query.processAllAvailable()
        run = time.perf_counter() - asked
        barriers = [progress["barrierMillis"] / 1000 for progress in query.recentProgress]
        query.stop()
    spark.stop()
    tell({"session": session, "run": run, "first": barriers[0], "twenty": sum(barriers)})


if __name__ == "__main__":
    main()
