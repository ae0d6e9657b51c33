"""One process: a session, then twenty barriers over files of CSV, and what each took.

``python -m start.worker view`` has a view; ``spark`` has Spark's own streaming aggregation instead,
with none of our code and a sink that does nothing.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

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


def started(kind: str, frame: DataFrame, location: str) -> Any:
    """The query, which runs by now."""
    if kind == "view":
        return frame.incremental().writeStream.option("checkpointLocation", location).toView("v")
    writer = frame.writeStream.outputMode("update").format("noop")
    return writer.option("checkpointLocation", location).start()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("kind", choices=("view", "spark"))
    kind = options.parse_args().kind
    begun = time.perf_counter()
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    spark = (gs.configure(builder) if kind == "view" else builder).getOrCreate()
    session = time.perf_counter() - begun
    with tempfile.TemporaryDirectory() as work:
        write(Path(work) / "in", int(os.environ.get("ROWS", "50000")))
        stream = spark.readStream.schema("a int, b int").option("maxFilesPerTrigger", 1)
        stream.csv(f"{work}/in").createOrReplaceTempView("s")
        asked = time.perf_counter()
        query = started(kind, spark.sql(QUERY), f"{work}/out")
        while not query.recentProgress:
            time.sleep(0.01)
        first = time.perf_counter() - asked
        query.processAllAvailable()
        run = time.perf_counter() - asked
        query.stop()
    spark.stop()
    tell({"session": session, "first": first, "run": run})


if __name__ == "__main__":
    main()
