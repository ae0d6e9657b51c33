"""``make bench-windows``: an hour of event time in a minute, and the state behind it.

A second of the run brings a minute of events, 1 in 50 of them late by up to half a minute, some of
those too late. The view, totals by key and minute, is given on window close; beside it a left join
of the same events within 30 seconds is kept, whose state ends by time, too. Printed are the bytes
of all operators' states after each barrier, as a plot; then the rows given, whether each came as an
insert and once, and whether they equal batch Spark over the rows in time, window by window.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from shared.arguments import positive_int
from shared.session import session

START = datetime(2024, 1, 1, tzinfo=UTC)
SCHEMA = "ts timestamp, k string, v long"
DELAY = 10
WIDTH = 60


def minute_of(number: int, rows: int, rng: random.Random) -> list[dict[str, Any]]:
    """The events of a minute, in any order."""
    events = []
    for i in range(rows):
        late = rng.uniform(0, 30) if i % 50 == 0 else 0
        at = 60 * number + 60 * i / rows - late
        stamp = (START + timedelta(seconds=at)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        events.append({"ts": stamp, "k": f"k{rng.randrange(100)}", "v": rng.randrange(1000)})
    return events


def totals(frame: DataFrame) -> DataFrame:
    """The query."""
    grouped = frame.groupBy(F.window("ts", "1 minute"), "k")
    return grouped.agg(F.count("*").alias("n"), F.sum("v").alias("s"), F.max("v").alias("m"))


def state_bytes(home: Path) -> int:
    """Of all operators; the views themselves are results, not state."""
    folder = home / "groundswell" / "state"
    return sum(
        f.stat().st_size
        for f in folder.rglob("*")
        if f.is_file() and not f.relative_to(folder).parts[0].startswith("view-")
    )


def run(spark: SparkSession, home: Path, minutes: int, rows: int, pace: float) -> list[int]:
    """Feeds and checks; the bytes of state after each minute."""
    rng = random.Random(1)
    folder, location = home / "in", home / "c"
    folder.mkdir()
    stream = spark.readStream.schema(SCHEMA).json(str(folder))
    events = gs.appends(stream.withWatermark("ts", f"{DELAY} seconds"), name="events")
    given: list[tuple[Any, ...]] = []
    kinds: Counter[str] = Counter()

    def deliver(changes: DataFrame, _epoch: int) -> None:
        for change in changes.collect():
            kinds[change["_change_type"]] += 1
            given.append((change["window"]["start"], *change[1:5]))

    pipeline = gs.pipeline(spark, str(location), retainEpochs=3, retireEvery=1)
    pipeline.view("totals", totals(events), foreachBatch=deliver, emit="window_close")
    near = F.expr("a.k = b.k AND b.v < 20 AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 30 SECONDS")
    pairs = events.alias("a").join(events.alias("b"), near, "left")
    pipeline.view("near", pairs.groupBy("a.k").agg(F.count("b.v").alias("n")))
    query = pipeline.start()
    sizes, kept, newest = [], [], 0.0
    for number in range(minutes):
        due = time.monotonic() + pace
        batch = minute_of(number, rows, rng)
        watermark = START + timedelta(seconds=newest - DELAY) if number else START - timedelta(1)
        kept += [e for e in batch if datetime.fromisoformat(e["ts"]) >= watermark]
        newest = max(
            newest, *((datetime.fromisoformat(e["ts"]) - START).total_seconds() for e in batch)
        )
        staged = folder / f".{number:06d}"
        staged.write_text("".join(json.dumps(e) + "\n" for e in batch))
        staged.rename(folder / f"{number:06d}.json")
        query.processAllAvailable()
        sizes.append(state_bytes(location))
        time.sleep(max(0.0, due - time.monotonic()))
    late = sum(p["lateRows"] for p in query.recentProgress)
    query.stop()
    check(spark, home, kept, given, kinds, minutes)
    print(f"{minutes * rows:,} events, {late:,} too late in the last 100 barriers")
    return sizes


def check(
    spark: SparkSession,
    home: Path,
    kept: list[dict[str, Any]],
    given: list[tuple[Any, ...]],
    kinds: Counter[str],
    minutes: int,
) -> None:
    """Ends with an error unless the windows that closed are those of batch."""
    path = home / "kept.jsonl"
    path.write_text("".join(json.dumps(e) + "\n" for e in kept))
    last = max(row[0] for row in given)
    batch = totals(spark.read.schema(SCHEMA).json(str(path)))
    wanted = Counter((r["window"]["start"], *r[1:5]) for r in batch.collect())
    wanted = Counter({row: n for row, n in wanted.items() if row[0] <= last})
    if set(kinds) != {"insert"} or Counter(given) != wanted:
        raise SystemExit(f"not once, or not as batch: {kinds}, {len(given)} of {len(wanted)} rows")
    print(f"{len(given):,} rows given, each once, as batch: windows up to {last:%H:%M}")
    if minutes > 3 and len({row[0] for row in given}) < minutes - 3:
        raise SystemExit("windows stayed open")


def plot(sizes: list[int]) -> str:
    """A line a minute."""
    top = max(sizes)
    return "\n".join(
        f"{minute:4} {size:>11,}  {'#' * round(WIDTH * size / top)}"
        for minute, size in enumerate(sizes)
    )


def main() -> None:
    """Runs it and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=positive_int, default=60, help="of event time")
    parser.add_argument("--rows", type=positive_int, default=6000, help="events a minute")
    parser.add_argument("--pace", type=float, default=1.0, help="seconds of run a minute, at least")
    args = parser.parse_args()
    spark = session("windows")
    with tempfile.TemporaryDirectory() as made:
        sizes = run(spark, Path(made), args.minutes, args.rows, args.pace)
    print("minute  bytes of state\n" + plot(sizes))
    first, rest = sizes[: len(sizes) // 4], sizes[len(sizes) // 4 :]
    print(f"largest after the first quarter: {max(rest) / max(first):.2f} x that of the first")
    spark.stop()


if __name__ == "__main__":
    main()
