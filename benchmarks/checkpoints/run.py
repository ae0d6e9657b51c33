"""Objects and time a batch costs on slow storage, by store and number of partitions.

``python -m checkpoints.run [--partitions 8,64,200] [--batches 9] [--stores ...]`` writes
``benchmarks/results/checkpoints.md`` and ``.json`` (every batch of every cell).
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
from typing import Any

from checkpoints.worker import NO_STATE, STORES
from shared import page, process
from shared.arguments import positive_int

REPORT = page.FOLDER / "checkpoints.md"
Cell = dict[str, Any]
WARMUP = 3
LATENCY = "PUT=20,GET=10,LIST=50"


def measure(store: str, partitions: int, batches: int, latency: str) -> Cell:
    """Runs one cell in a process of its own."""
    numbers = map(str, (partitions, batches, WARMUP))
    return process.measured("checkpoints.worker", store, *numbers, latency)


def line(store: str, partitions: int, cell: Cell, rival: float | None) -> str:
    millis = statistics.median(cell["batchMillis"])
    ratio = f"{millis / rival:.2f}" if rival else ""
    operations = cell["operations"]
    merges = cell["objects"].get(".sst", 0) if store.startswith("ours") else 0
    record = f"{statistics.median(cell['recordMillis']):,.0f}" if cell["recordMillis"] else ""
    return (
        f"| {partitions} | {store} | {operations.get('PUT', 0):.1f} | {merges:.1f} "
        f"| {operations.get('GET', 0):.0f} | {operations.get('LIST', 0):.0f} "
        f"| {millis:,.0f} | {max(cell['batchMillis']):,} | {record} | {ratio} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", default="8,64,200")
    parser.add_argument("--batches", type=positive_int, default=9)
    parser.add_argument(
        "--stores", default=";".join([*STORES, NO_STATE]), help="separated by semicolons"
    )
    parser.add_argument("--latency", default=LATENCY, help="milliseconds of requests")
    given = parser.parse_args()
    lines: list[str] = []
    cells: list[Cell] = []
    for partitions in map(int, given.partitions.split(",")):
        rival = None
        for store in given.stores.split(";"):
            cell = measure(store, partitions, given.batches, given.latency)
            cells.append({"store": store, "partitions": partitions, **cell})
            if store == "RocksDB":
                rival = statistics.median(cell["batchMillis"])
            lines.append(line(store, partitions, cell, rival))
            print(lines[-1], flush=True)
            if given.latency == LATENCY:  # a run that is cut off leaves what it has
                report(lines, cells, given.batches)
    print(REPORT if given.latency == LATENCY else f"with {given.latency} no report is written")


def report(lines: list[str], cells: list[Cell], batches: int) -> None:
    REPORT.with_suffix(".json").write_text(
        "[\n" + ",\n".join(json.dumps(cell) for cell in cells) + "\n]\n"
    )
    REPORT.write_text(
        f"""# Checkpoints on slow storage

{datetime.date.today()}, {os.cpu_count()} cores, {platform.system()}, load average
{os.getloadavg()[0]:.1f} at the end. One streaming aggregation in `local[2]` (one executor),
2,000 rows a batch over 20,000 keys, its checkpoint on a file system that takes
{LATENCY} milliseconds for requests; {batches} batches after {WARMUP} that are not
counted, the median of their times. All PUTs of a batch are counted, Spark's two log files and the
results of background merges included; these are also shown apart. *Record* is Spark's
`commitOffsets`, in which the plugin waits for what was committed. The last column is the batch
time in proportion to RocksDB's (as a user gets it) with as many partitions. "{NO_STATE}" is the
same aggregation of each file as a batch query without a checkpoint: what Spark's tasks cost by
themselves. Uploads of snapshots in the background, which changelog checkpointing has once a minute,
fall outside of the run.

| partitions | store | PUTs a batch | merges | GETs | LISTs | batch ms | slowest | record | ratio |
|--:|--|--:|--:|--:|--:|--:|--:|--:|--:|
"""
        + "\n".join(lines)
        + "\n\nMade by `make bench-checkpoints`.\n"
    )


if __name__ == "__main__":
    main()
