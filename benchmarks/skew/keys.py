"""``python -m skew.keys``: rows of which half have one key, beside rows whose keys are even.

*sums*: an aggregate by the key. *join*: rows with what the key names, by hash joins; *delta*: the
same by shared indexes. Each cell is a process of its own; medians of the later barriers.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from statistics import median

import groundswell as gs
from shared import process
from shared.arguments import positive_int
from shared.process import tell
from shared.session import session

KINDS = ("sums", "join", "delta")
KEYS = 1000


def worker(args: argparse.Namespace) -> None:
    spark = session("keys", {"spark.driver.memory": "3g"})
    with tempfile.TemporaryDirectory(prefix="keys-") as home:
        joins = "delta" if args.kind == "delta" else "hash"
        place = str(Path(home) / "checkpoint")
        p = gs.pipeline(spark, place, partitions=args.partitions, joins=joins)
        items = p.table("items", "id long, k long, v long", key="id")
        names = p.table("names", "k long, name string", key="k")
        if args.kind == "sums":
            p.view("sums", items.df.groupBy("k").agg({"v": "sum", "id": "count"}))
        else:
            if args.kind == "delta":
                p.index(items, "k", name="items_k").index(names, "k", name="names_k")
            p.view("named", items.df.join(names.df, "k").select("id", "name", "v"))

        def write(seed: int, count: int) -> None:
            even = f"pmod(xxhash64(id, {seed}), {KEYS})"
            key = f"CASE WHEN id % 100 < {args.hot} THEN 7 ELSE {even} END"
            ids = f"id + {seed} * {args.rows + count}"
            rows = spark.range(count).selectExpr(f"{ids} AS id", f"{key} AS k", "id AS v")
            items.upsert(rows)

        names.upsert(spark.range(KEYS).selectExpr("id AS k", "concat('name ', id) AS name"))
        write(0, args.rows)
        run = p.start()
        run.processAllAvailable()
        millis = []
        for barrier in range(1, args.barriers + 1):
            write(barrier, args.changes)
            run.processAllAvailable()
            millis.append(run.lastProgress["barrierMillis"])
        run.stop()
    tell({"millis": median(millis[args.barriers // 3 :])})


def main() -> None:
    parser = argparse.ArgumentParser(prog="skew.keys", description=__doc__)
    parser.add_argument("--kind", help="runs one cell in this process")
    parser.add_argument("--hot", type=int, default=50, help="per cent of rows with one key (50)")
    parser.add_argument("--rows", type=positive_int, default=200_000)
    parser.add_argument("--changes", type=positive_int, default=20_000, help="a barrier (20000)")
    parser.add_argument("--barriers", type=positive_int, default=15)
    parser.add_argument("--partitions", type=positive_int, default=8)
    args = parser.parse_args()
    if args.kind:
        worker(args)
        return
    print(f"{args.rows:,} rows, {args.changes:,} more a barrier; milliseconds a barrier\n")
    print("| | even | half has one key | ratio (≤ 2) |\n|--|--:|--:|--:|")
    for kind in KINDS:
        even, hot = (
            process.run(
                "skew.keys",
                *("--kind", kind, "--hot", str(share), "--rows", str(args.rows)),
                *("--changes", str(args.changes), "--barriers", str(args.barriers)),
                *("--partitions", str(args.partitions)),
            )["millis"]
            for share in (0, args.hot)
        )
        print(f"| {kind} | {even:,.0f} | {hot:,.0f} | {hot / even:.2f} |", flush=True)


if __name__ == "__main__":
    main()
