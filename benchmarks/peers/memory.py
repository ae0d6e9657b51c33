"""``make bench-peers-memory``: the smallest heap in which a query over many events is kept.

Each engine gets the heaps of ``--heaps``, smallest first, until it comes to its end in one: a
process of its own each time, which reads the same lines of JSON. Flink keeps its state on the heap
and makes no checkpoints; ours is durable after each barrier. What a process had in memory at most
is told beside it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from peers import data
from peers.queries import QUERIES
from shared import process
from shared.arguments import positive_int
from shared.names import named
from shared.page import where

ENGINES = {"ours": "groundswell, durable each barrier", "flink": "Flink, heap, no checkpoints"}


class Tried(NamedTuple):
    """What came of one heap: seconds of the query, or what went wrong."""

    seconds: float | None
    wrong: str
    peak: int  # bytes that the JVM had in memory at most
    cpu: float  # seconds of processor time of all processes


def cause(said: str) -> str:
    """What a process ended with: the innermost cause that it names, or its last line."""
    if "OutOfMemory" in said:
        return "OutOfMemoryError"
    lines = [line.strip() for line in said.splitlines() if line.strip()] or ["nothing said"]
    named = [line for line in lines if line.startswith("Caused by:")] or lines
    return named[-1].replace("|", "/")[:150]


def attempt(engine: str, query: str, folder: Path, heap: str, python: str, limit: int) -> Tried:
    """Runs a query over the events in a JVM with that heap."""
    ours = engine == "ours"
    last = heap if ours else "heap"
    env = {} if ours else {"JAVA_TOOL_OPTIONS": f"-Xmx{heap}"}
    said: Mapping[str, float] = {}
    with process.Watched() as used:
        try:
            said = process.run(
                f"peers.{engine}", query, str(folder), "", last,
                python=sys.executable if ours else python, limit=limit, env=env,
            )  # fmt: skip
            wrong = ""
        except process.WorkerError as error:
            wrong = cause(error.said)
        except subprocess.TimeoutExpired:
            wrong = f"not over after {limit} s"
    return Tried(said.get("cold"), wrong, used.peak, used.cpu)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--events", type=positive_int, default=20_000_000, help="in all (20,000,000)"
    )
    parser.add_argument("--barriers", type=positive_int, default=20, help="they come in (20)")
    parser.add_argument("--queries", default="q5,q20", help="names (q5,q20)")
    parser.add_argument("--engines", default=",".join(ENGINES), help="ours, flink")
    parser.add_argument("--heaps", default="512m,1g,2g,4g,8g", help="as -Xmx takes them")
    parser.add_argument("--limit", type=positive_int, default=1200, help="seconds of a try (1,200)")
    parser.add_argument("--flink", required=True, help="an interpreter that has apache-flink")
    given = parser.parse_args()
    queries = named(parser.error, "queries", given.queries, QUERIES)
    engines = named(parser.error, "engines", given.engines, ENGINES)
    print(f"{given.events:,} events in {given.barriers} barriers, lines of JSON. {where()}\n")
    print("| query | engine | heap | s | CPU s | peak MB |\n|--|--|--|--:|--:|--:|", flush=True)
    with tempfile.TemporaryDirectory(prefix="peers-") as home:
        folder = Path(home) / "events"
        data.write(folder, given.events, given.barriers)
        for query in queries:
            for engine in engines:
                for heap in given.heaps.split(","):
                    tried = attempt(engine, query, folder, heap, given.flink, given.limit)
                    came = tried.wrong if tried.seconds is None else f"{tried.seconds:.1f}"
                    print(
                        f"| {query} | {ENGINES[engine]} | {heap} | {came} "
                        f"| {tried.cpu:.0f} | {tried.peak >> 20:,} |",
                        flush=True,
                    )
                    if tried.seconds is not None:
                        break


if __name__ == "__main__":
    main()
