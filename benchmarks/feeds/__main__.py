"""``python -m feeds``: tables of change events, what an event costs, and what they keep.

Beside them stands ``gs.upserts`` with a version, which keeps the newest row of each key and forgets
deleted ones. One event in ten comes late, one in twenty deletes. A second table shows barriers of
100 events for one key, whose history is ever longer.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from pyspark.sql import DataFrame

import groundswell as gs
from shared import process
from shared.arguments import positive_int
from shared.barriers import after_each
from shared.process import tell
from shared.session import pid, session, size

SCHEMA = "id long, name string, city string, n long, at long, op string"
RULES: dict[str, Any] = {
    "keys": ["id"], "sequence_by": "at", "apply_as_deletes": "op = 'D'",
    "except_column_list": ["op", "at"], "name": "feed",
}  # fmt: skip
KINDS: dict[str, Callable[[DataFrame], DataFrame]] = {
    "gs.upserts, version": lambda feed: gs.upserts(
        feed, key="id", delete="op = 'D'", version="at", name="feed"
    ),
    "type 1": lambda feed: gs.auto_cdc(feed, **RULES),
    "type 1, nulls ignored": lambda feed: gs.auto_cdc(feed, **RULES, ignore_null_updates=True),
    "type 1, truncates": lambda feed: gs.auto_cdc(feed, **RULES, apply_as_truncates="op = 'T'"),
    "type 2": lambda feed: gs.auto_cdc(feed, **RULES, stored_as_scd_type=2),
}
EVENTS = (
    "cast(pmod(xxhash64(id, 1), {keys}) as long) id",
    "concat('name of ', pmod(xxhash64(id, 2), 100000)) name",
    "if(id % 3 = 0, null, concat('city ', pmod(xxhash64(id, 3), 1000))) city",
    "pmod(xxhash64(id, 4), 1000000) n",
    "id - if(id % 10 = 0, pmod(xxhash64(id, 5), {late}), 0) at",
    "if(pmod(xxhash64(id, 6), 20) = 0, 'D', 'U') op",
)


def worker(args: argparse.Namespace) -> None:
    """One kind of table; a file is a barrier."""
    spark = session("feeds", {"spark.driver.memory": "3g"})
    ends: list[float] = []
    after_each(lambda _: ends.append(process.cpu_seconds(pid(spark))))
    with tempfile.TemporaryDirectory(prefix="feeds-") as home:
        folder = Path(home) / "in"
        sizes = [args.rows] * args.barriers
        if args.history:
            sizes = [args.history, *[100] * args.barriers]
        first = 0
        for number, rows in enumerate(sizes):
            made = spark.range(first, first + rows, 1, 1).selectExpr(
                *(e.format(keys=args.keys, late=max(1, first // 2)) for e in EVENTS)
            )
            made.write.mode("append").parquet(str(folder / f"{number:04d}"))
            first += rows
        reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        feed = reader.parquet(f"{folder}/*")
        location = Path(home) / "c"
        p = gs.pipeline(spark, str(location), partitions=2, retainEpochs=1, retireEvery=1)
        p.view("v", KINDS[args.kind](feed))
        p.start(availableNow=True).awaitTermination()
        millis = [1000 * (end - begin) for begin, end in pairwise(ends)]
        states = location / "groundswell" / "state"
        rows = gs.read_view(spark, str(location), "v").count()
        kept = size(states)
        view = sum(size(path) for path in states.iterdir() if path.name.startswith("view-"))
        spark.stop()
    warm = millis[-(2 * len(millis) // 3) :]
    tell({"cpu": median(warm), "rows": rows, "view": view, "state": kept - view})


def main() -> None:
    """Runs each cell in a process of its own, and prints tables."""
    parser = argparse.ArgumentParser(prog="feeds", description=__doc__)
    parser.add_argument("--kind", help="runs one cell in this process")
    parser.add_argument("--keys", type=positive_int, default=50_000)
    parser.add_argument(
        "--rows", type=positive_int, default=20_000, help="events a barrier (20000)"
    )
    parser.add_argument("--barriers", type=positive_int, default=20)
    parser.add_argument("--history", type=int, default=0, help="events of the first barrier")
    parser.add_argument("--histories", default="1000,10000,100000", help="of one key")
    args = parser.parse_args()
    if args.kind:
        worker(args)
        return
    given = [f"--{n}={getattr(args, n)}" for n in ("keys", "rows", "barriers")]
    print(f"{args.rows * args.barriers:,} events of {args.keys:,} keys, {args.rows:,} a barrier\n")
    print("| | CPU, µs an event | beside upserts | rows | table, MB | other state, MB |")
    print("|--|--:|--:|--:|--:|--:|")
    base = 0.0
    for kind in KINDS:
        found = process.measured("feeds", "--kind", kind, *given)
        each = 1000 * found["cpu"] / args.rows
        base = base or each
        print(
            f"| {kind} | {each:.1f} | {each / base:.2f} | {found['rows']:,} | "
            f"{found['view'] / 1e6:.1f} | {found['state'] / 1e6:.1f} |",
            flush=True,
        )
    print("\n| type 2, events of the one key before | CPU, ms a barrier of 100 events |\n|--:|--:|")
    for history in args.histories.split(","):
        cell = ("--kind", "type 2", "--keys", "1", "--history", history, "--barriers", "15")
        found = process.measured("feeds", *cell)
        print(f"| {int(history):,} | {found['cpu']:.0f} |", flush=True)


if __name__ == "__main__":
    main()
