"""Views on slow storage: barriers that wait for their checkpoints, and checkpoints that overlap.

``python -m checkpoints.overlap [--put 300] [--rows 1000,100000] [--barriers 20]`` writes
``benchmarks/results/checkpoint-overlap.md``. Each cell runs in a process of its own: one file is
one barrier, and the next one begins at once. Storages are a local disk, the same with a
pause before each PUT, and a bucket of moto's server, which shares the cores.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import tempfile
import time
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from shared import page, process
from shared.arguments import positive_int

REPORT = page.FOLDER / "checkpoint-overlap.md"
TOOLS = process.BENCHMARKS.parent / "build" / "groundswell-test-tools.jar"
WARM = 8
KEYS = 500
SCHEMA = "id bigint, g bigint, w double"


def write(folder: Path, barriers: int, rows: int) -> None:
    for number in range(barriers):
        path = folder / f"{number:06d}.json"
        with path.open("w") as out:
            for i in range(rows):
                out.write(json.dumps({"id": i, "g": (i * 7919 + number) % KEYS, "w": i / 7}) + "\n")
        os.utime(path, (number + 1, number + 1))


S3 = -1
"""Instead of the milliseconds of a PUT: the bucket."""


def bucket(put: int) -> AbstractContextManager[Any]:
    """The bucket, or nothing where another storage is meant."""
    from crash.storage import S3Storage

    return S3Storage.start() if put == S3 else nullcontext()


def run(put: int, overlap: int, rows: int, barriers: int) -> dict[str, Any]:
    """One cell, in this process."""
    with bucket(put) as storage:
        return measured(storage, put, overlap, rows, barriers)


def measured(storage: Any, put: int, overlap: int, rows: int, barriers: int) -> dict[str, Any]:
    """One cell over a storage that stands."""
    from pyspark.sql import SparkSession

    import groundswell as gs
    from groundswell import jvm
    from groundswell.runtime.record.epochs import EpochLog

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    for name, value in ({} if storage is None else storage.confs).items():
        builder = builder.config(name, value)
    if put > 0:
        builder = (
            builder.config("spark.driver.extraClassPath", str(TOOLS))
            .config("spark.hadoop.fs.slow.impl", "io.groundswell.testing.FaultyFileSystem")
            .config("spark.hadoop.fs.slow.latency", f"PUT={put}")
        )
    spark = gs.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        source = Path(home) / "in"
        source.mkdir()
        write(source, barriers + WARM, rows)
        stream = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        local = f"{'slow:' if put else ''}{home}/c"
        location = local if storage is None else storage.location("c")
        p = gs.pipeline(spark, location, checkpointOverlap=overlap, retainEpochs=1000)
        grouped = stream.json(str(source)).groupBy("g")
        p.view("v", grouped.agg({"w": "sum", "id": "count"}))
        begun = time.monotonic()
        query = p.start(availableNow=True)
        query.awaitTermination()
        took = time.monotonic() - begun
        barriers_ = query.recentProgress[WARM:]
        log = EpochLog(
            jvm.JvmFolder.open(spark, f"{jvm.qualify(spark, location)}/groundswell/epochs")
        )
        waits = {b["epoch"]: log.get(b["epoch"]).times["wait"] for b in barriers_}
        starts = [
            datetime.datetime.fromisoformat(json.loads(p.json)["timestamp"]).timestamp()
            for p in query._query.recentProgress
        ][WARM:]
        rows_of = gs.read_view(spark, location, "v").selectExpr("sum(`count(id)`)").collect()[0][0]
        assert rows_of == rows * (barriers + WARM), rows_of
        found = {
            "interval": median((b - a) * 1000 for a, b in pairwise(starts)),
            "rowsPerSecond": rows * (len(starts) - 1) / (starts[-1] - starts[0]),
            "compute": median(b["computeMillis"] for b in barriers_),
            "freshness": median(waits[b["epoch"]] + b["barrierMillis"] for b in barriers_),
            "seconds": took,
        }
        spark.stop()
    return found


def cell(*numbers: int) -> dict[str, Any]:
    """One cell, in a process of its own."""
    return process.measured("checkpoints.overlap", f"--cell={','.join(map(str, numbers))}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--put", type=int, default=300, help="milliseconds of a PUT")
    parser.add_argument("--rows", default="1000,100000", help="of a barrier")
    parser.add_argument("--overlap", type=int, default=3)
    parser.add_argument("--barriers", type=positive_int, default=20)
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.cell:
        process.tell(run(*map(int, given.cell.split(","))))
        return
    lines = []
    for rows in map(int, given.rows.split(",")):
        for name, put, overlap in (
            ("local disk", 0, 0),
            ("local disk, overlapping", 0, given.overlap),
            (f"{given.put} ms a PUT", given.put, 0),
            (f"{given.put} ms a PUT, overlapping", given.put, given.overlap),
            ("S3's test server", S3, 0),
            ("S3's test server, overlapping", S3, given.overlap),
        ):
            found = cell(put, overlap, rows, given.barriers)
            lines.append(
                f"| {rows:,} | {name} | {found['compute']:.0f} | {found['interval']:.0f} "
                f"| {found['rowsPerSecond']:,.0f} | {found['freshness']:.0f} |"
            )
            print(lines[-1], flush=True)
    REPORT.write_text(
        f"""# Checkpoints that overlap barriers

{datetime.date.today()}, {os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f} at the end.
One view (an aggregation over {KEYS} keys) in `local[2]`; one file is one barrier, and the next one
begins at once. {given.barriers} barriers after {WARM} that are not counted; medians in
milliseconds, each cell in a process of its own. "Overlapping" is
`checkpointOverlap={given.overlap}`. *Interval* is the time from one barrier's start to the next
one's, *fresh* from when Spark plans a barrier until its epoch is visible.

| rows a barrier | storage | compute | interval | rows/s | fresh |
|--:|--|--:|--:|--:|--:|
"""
        + "\n".join(lines)
        + "\n\nMade by `make bench-overlap`.\n"
    )
    print(REPORT)


if __name__ == "__main__":
    main()
