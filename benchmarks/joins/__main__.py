"""``make bench-joins``: joins of three, four and five tables as hash joins and as delta joins.

The tables are those of TPC-H's question 5, small, as upserts. A run loads them in one barrier and
then changes some rows of each in every further one. Both plans read the same files, one after the
other in one process, and their views are compared at the end. Reported: bytes of the newest states
of joins and indexes (not of the source tables and the view, which both have), the same with what is
kept of older epochs, rows of state read and written for one changed row, and changed rows a second
after some barriers that warm up. At last ten queries over the same two tables: over shared indexes,
and with ten private copies of each.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from shared.arguments import positive_int
from shared.session import session

TABLES = {
    "nation": "n bigint, region bigint",
    "supplier": "s bigint, n bigint, sname string",
    "customer": "c bigint, n bigint, cname string",
    "orders": "o bigint, c bigint, day bigint",
    "lineitem": "l bigint, o bigint, s bigint, price double",
}
THREE = (
    "select l.l, o.o, c.c, c.cname, l.price from customer c join orders o on o.c = c.c "
    "join lineitem l on l.o = o.o"
)
JOINS = {
    "3-way": THREE,
    "4-way": THREE.replace("l.price", "l.price, s.s, s.sname") + " join supplier s on l.s = s.s",
    "5-way": THREE.replace("l.price", "l.price, s.s, s.sname, n.region")
    + " join supplier s on l.s = s.s join nation n on s.n = n.n",
}
TEN = {
    f"q{i}": "select l.l, o.o, o.day, l.price from orders o join lineitem l on l.o = o.o "
    f"where o.day % 10 = {i}"
    for i in range(10)
}
INDEXES = (
    ("customer", "c"), ("orders", "c"), ("orders", "o"), ("lineitem", "o"), ("lineitem", "s"),
    ("supplier", "s"), ("supplier", "n"), ("nation", "n"),
)  # fmt: skip


def row(table: str, key: int, sizes: Mapping[str, int], rng: random.Random) -> dict[str, Any]:
    """A row whose references exist."""
    other = {name: rng.randrange(size) for name, size in sizes.items()}
    match table:
        case "nation":
            return {"n": key, "region": key % 5}
        case "supplier":
            return {"s": key, "n": other["nation"], "sname": f"supplier {rng.random()}"}
        case "customer":
            return {"c": key, "n": other["nation"], "cname": f"customer {rng.random()}"}
        case "orders":
            return {"o": key, "c": other["customer"], "day": rng.randrange(2500)}
        case _:
            price = rng.randrange(100000) / 100
            return {"l": key, "o": other["orders"], "s": other["supplier"], "price": price}


def write(home: Path, lineitems: int, barriers: int, changes: int) -> None:
    """The files of all tables: the load, then a file a barrier."""
    rng = random.Random(1)
    sizes = {
        "nation": 25,
        "supplier": lineitems // 100,
        "customer": lineitems // 40,
        "orders": lineitems // 4,
        "lineitem": lineitems,
    }
    for name, size in sizes.items():
        folder = home / name
        folder.mkdir()
        share = max(1, changes * size // (2 * lineitems)) if name != "nation" else 0
        for number in range(barriers + 1):
            keys: Iterable[int] = (
                range(size) if number == 0 else (rng.randrange(size) for _ in range(share))
            )
            path = folder / f"{number:06d}.json"
            lines = [json.dumps(row(name, key, sizes, rng)) for key in keys]
            path.write_text("".join(line + "\n" for line in lines))
            os.utime(path, (number + 1, number + 1))


@dataclass(frozen=True)
class Result:
    """One run; ``touched``: rows of state read and written for each changed row."""

    state_bytes: int
    kept_bytes: int
    touched: float
    rows_per_second: float
    views: dict[str, int]


def run(
    spark: SparkSession,
    home: Path,
    location: Path,
    joins: str,
    queries: Mapping[str, str],
    tables: Iterable[str],
    warm_up: int,
) -> Result:
    """Keeps the queries' views from the first file to the last."""
    frames: dict[str, DataFrame] = {}
    for name in tables:
        stream = (
            spark.readStream.schema(TABLES[name])
            .option("maxFilesPerTrigger", 1)
            .json(str(home / name))
        )
        frames[name] = gs.upserts(stream, key=TABLES[name].split()[0], name=name)
        frames[name].createOrReplaceTempView(name)
    p = gs.pipeline(spark, str(location), joins=joins)
    for name, text in queries.items():
        p.view(name, spark.sql(text))
    if joins == "delta":
        used = " ".join(queries.values())
        for table, column in INDEXES:
            if table in frames and f".{column} " in f"{used.replace(' where', ' ')} ":
                p.index(frames[table], column, name=f"{table}_{column}")
    query = p.start(availableNow=True)
    query.awaitTermination()
    progress = [b for b in query.recentProgress if b["inputRows"]]
    batches = [json.loads(b.json) if hasattr(b, "json") else b for b in query._query.recentProgress]
    timed = slice(1 + warm_up, None)
    changed = sum(b["inputRows"] for b in progress[1:])
    own = ("join", "arrange", "lookup", "net")
    touched = sum(
        op["stateReads"] + op["stateWrites"]
        for b in progress[1:]
        for op in b["operators"]
        if op["op"] in own
    )
    millis = sum(b["durationMs"]["triggerExecution"] for b in batches[timed])
    rows = sum(b["inputRows"] for b in progress[timed])
    newest = sum(op.get("stateBytes", 0) for op in progress[-1]["operators"] if op["op"] in own)
    state = location / "groundswell" / "state"
    kept = sum(
        f.stat().st_size
        for f in state.rglob("*")
        if f.is_file() and f.relative_to(state).parts[0].startswith(("join-", "index-"))
    )
    views = {
        name: int(
            gs.read_view(spark, str(location), name)
            .selectExpr("sum(xxhash64(*) % 1000003)")
            .head()[0]
            or 0
        )
        for name in queries
    }
    return Result(newest, kept, touched / changed, 1000 * rows / millis, views)


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--lineitems", type=positive_int, default=100_000)
    parser.add_argument("--barriers", type=positive_int, default=15)
    parser.add_argument("--changes", type=positive_int, default=2000, help="rows a barrier, about")
    parser.add_argument("--warm-up", type=int, default=5, help="barriers that are not timed")
    parser.add_argument("--only", help="one line of the table, such as 5-way")
    args = parser.parse_args()
    if not 0 <= args.warm_up < args.barriers:
        parser.error(f"--warm-up {args.warm_up} leaves none of --barriers {args.barriers} to time")
    spark = session("joins")
    names = list(TABLES)
    cases = {
        "3-way": ({"v": JOINS["3-way"]}, names[2:]),
        "4-way": ({"v": JOINS["4-way"]}, names[1:]),
        "5-way": ({"v": JOINS["5-way"]}, names),
        "10 queries": (TEN, names[3:]),
    }
    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        write(home, args.lineitems, args.barriers, args.changes)
        heads = f"{'state bytes':>14}{'with older':>14}{'touched/change':>16}{'changes/s':>12}"
        print(f"{'':20}{heads}")
        for case, (queries, tables) in cases.items():
            if args.only not in (None, case):
                continue
            results = {
                joins: run(
                    spark, home, home / f"{case} {joins}", joins, queries, tables, args.warm_up
                )
                for joins in ("hash", "delta")
            }
            for joins, result in results.items():
                print(
                    f"{case:12}{joins:8}{result.state_bytes:>14,}{result.kept_bytes:>14,}"
                    f"{result.touched:>16.1f}{result.rows_per_second:>12,.0f}",
                    flush=True,
                )
            if results["hash"].views != results["delta"].views:
                raise SystemExit(f"{case}: the two plans have different views")
    spark.stop()


if __name__ == "__main__":
    main()
