"""``make bench-barriers``: where a barrier's time goes.

Nexmark files are read through a stream that does nothing with them (the floor: what remains if all
that is ours cost nothing), then kept as a view, several times in one process, since the first run
is half compilation. Of each run: seconds, CPU seconds by kind of thread, Spark's own times; of the
last one the shares of a flight recording's samples. ``--native`` runs Spark's own streaming as
often in a process of its own, so that its later runs, too, can be set beside ours.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from barriers import flame
from barriers.shares import shares
from nexmark import events
from nexmark.queries import QUERIES, REFUSED, Query
from shared.arguments import positive_int
from shared.names import named
from shared.process import LIMIT, cpu_seconds
from shared.session import pid, session
from systems.servers import MissingError
from views import engines

READS = {
    "totals": ["SELECT auction, price FROM bid"],
    "q19": ["SELECT auction, bidder, price, dateTime FROM bid"],
    "q20": [
        "SELECT auction, bidder, price, channel, dateTime FROM bid",
        "SELECT id, itemName, seller, category FROM auction WHERE category = 10",
    ],
}
"""What a query reads of each source, where reading alone is timed."""

THREADS = {
    "C2 Comp": "compiling",
    "C1 Comp": "compiling",
    "G1": "collecting",
    "GC ": "collecting",
    "Executor": "tasks",
    "groundswell": "merges",
}


def threads(process: int) -> Counter[str]:
    """CPU seconds of the threads that live, by kind."""
    found: Counter[str] = Counter()
    for stat in Path(f"/proc/{process}/task").glob("*/stat"):
        try:
            name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        kind = next((k for start, k in THREADS.items() if name.startswith(start)), "other")
        fields = rest.split()
        found[kind] += int(fields[11]) + int(fields[12])
    return found


def floor(spark: SparkSession, query: Query, data: Path, work: Path) -> float:
    """Seconds of streams that read what the query reads, and do nothing with it."""
    took = 0.0
    for number, text in enumerate(READS[query.name]):
        engines.streams(spark, query, data)
        began = time.perf_counter()
        writer = spark.sql(text).writeStream.format("noop").trigger(availableNow=True)
        writer.option("checkpointLocation", str(work / f"read-{number}")).start().awaitTermination()
        took += time.perf_counter() - began
    return took


def view(spark: SparkSession, query: Query, data: Path, work: Path) -> None:
    """One run; prints a line."""
    process = pid(spark)
    ticks = os.sysconf("SC_CLK_TCK")
    engines.streams(spark, query, data)
    before, all_before, began = threads(process), cpu_seconds(process), time.perf_counter()
    frame = spark.sql(query.sql).incremental()  # type: ignore[operator]
    writer = frame.writeStream.trigger(availableNow=True)
    run = writer.option("checkpointLocation", str(work)).toView("answer")
    run.awaitTermination()
    seconds = time.perf_counter() - began
    spent = threads(process) - before
    used = ", ".join(f"{kind} {n / ticks:.1f}" for kind, n in spent.most_common())
    barriers: list[Any] = [p for p in run._query.recentProgress if p.numInputRows]
    own = [p["millis"] for p in run.recentProgress if p["inputRows"]]

    def mean(part: str) -> float:
        return sum(p.durationMs.get(part, 0) for p in barriers) / len(barriers)

    print(
        f"{seconds:6.2f} s, CPU {cpu_seconds(process) - all_before:.1f} s ({used}); a barrier: "
        f"{mean('triggerExecution'):.0f} ms (planning {mean('queryPlanning'):.0f}, "
        f"build {sum(m['build'] for m in own) / len(own):.0f}, "
        f"job {sum(m['job'] for m in own) / len(own):.0f})",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", default="totals,q19,q20")
    parser.add_argument("--events", type=positive_int, default=1_000_000)
    parser.add_argument("--barriers", type=positive_int, default=20)
    parser.add_argument("--runs", type=positive_int, default=3)
    parser.add_argument("--partitions", type=positive_int, default=2, help="of every state (2)")
    parser.add_argument("--native", action="store_true", help="Spark's own streaming as well")
    parser.add_argument("--flame", type=Path, help="a folder for a flame graph of each last run")
    args = parser.parse_args()
    if args.flame:
        try:
            flame.converter()
        except MissingError as e:
            parser.exit(1, f"error: {e}\n")
    names = named(parser.error, "queries", args.queries, QUERIES)
    with tempfile.TemporaryDirectory(prefix="barriers-") as folder:
        home = Path(folder)
        events.write(home / "large", args.events, args.barriers)
        events.write(home / "small", 20_000, 4)
        for name in names:
            profile(QUERIES[name], home, home / name, args.runs, args.partitions)
            if args.flame:
                page = args.flame / f"{name}.html"
                flame.draw(recording(home / name), page, f"{name}, {args.events:,} events")
                print(f"drawn in {page}")
            if args.native and QUERIES[name].native != REFUSED:
                native(QUERIES[name], home, home / name, args.runs)


def recording(work: Path) -> Path:
    return work / "barriers.jfr"


def profile(query: Query, data: Path, work: Path, runs: int, partitions: int) -> None:
    """One query in a JVM of its own."""
    settings = {
        "spark.driver.memory": "4g",
        "spark.driver.extraJavaOptions": "-XX:FlightRecorderOptions=stackdepth=200",
        "spark.sql.shuffle.partitions": str(partitions),
    }
    spark = session("barriers", settings)
    process = str(pid(spark))
    print(f"== {query.name}\nwarming up:", flush=True)
    view(spark.newSession(), query, data / "small", work / "small")
    if query.name in READS:
        for number in range(2):
            seconds = floor(spark.newSession(), query, data / "large", work / f"floor-{number}")
        print(f"{seconds:6.2f} s to read alone")
    for number in range(runs):
        if number == runs - 1:
            start = ["jcmd", process, "JFR.start", "name=barriers", "settings=profile"]
            subprocess.run(start, stdout=subprocess.DEVNULL, check=True)
        view(spark.newSession(), query, data / "large", work / f"run-{number}")
    dump = ["jcmd", process, "JFR.dump", "name=barriers", f"filename={recording(work)}"]
    subprocess.run(dump, stdout=subprocess.DEVNULL, check=True)
    spark.stop()
    found = shares(recording(work))
    total = sum(n for _, n, _ in found)
    for kind, n, tops in found:
        if n * 100 >= total:
            print(f"{100 * n / total:5.1f} %  {kind:42} {', '.join(tops)}")


def native(query: Query, data: Path, work: Path, runs: int) -> None:
    """The same under Spark's own streaming, in a JVM of its own."""
    spark = session("barriers", {"spark.driver.memory": "4g"}, ours=False)
    process = pid(spark)
    print("Spark's own streaming, warming up:", flush=True)
    for number, size in enumerate(["small", *["large"] * runs]):
        before = cpu_seconds(process)
        place = work / f"native-{number}"
        run = engines.native(spark.newSession(), query, data / size, place, LIMIT)
        used = cpu_seconds(process) - before
        barrier = sum(run.barriers) / len(run.barriers)
        print(f"{run.seconds:6.2f} s, CPU {used:.1f} s; a barrier: {barrier:.0f} ms", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
