"""``make bench-filling``: what other views notice while a view is added to a running pipeline.

Each query is a process of its own. ``--base FOLDER`` names another tree of this project (``git
worktree add FOLDER COMMIT``, then ``make jar`` there), which runs beside this one, as *before*.
"""

from __future__ import annotations

import argparse
import sys
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from shared import process
from shared.arguments import positive_float, positive_int
from shared.process import BENCHMARKS

QUERIES = "filter,sums,words,join"


def cell(tree: Path, query: str, args: argparse.Namespace) -> dict[str, Any]:
    """What one process measured with the Python and the jar of a tree."""
    numbers = map(str, (args.rows, args.partitions, args.seconds, args.pause, args.more))
    return process.measured("filling.worker", query, *numbers, tree=tree)


def at(found: dict[str, Any], when: str, share: float) -> float:
    """A quantile of how long barriers took."""
    millis = sorted(b["millis"] for b in found[when])
    return float(millis[min(len(millis) - 1, int(share * len(millis)))]) if millis else float("nan")


def lines(found: dict[str, Any]) -> dict[str, str]:
    """What is shown of it."""
    p99 = at(found, "while", 0.99) / at(found, "before", 0.99)
    times = [b["at"] for b in found["before"]]
    steps = [b - a for a, b in pairwise(times)]
    interval = median(steps) if steps else float("nan")
    return {
        "barriers while it fills": f"{len(found['while'])}",
        "barrier p50 before / while, ms": f"{at(found, 'before', 0.5):,.0f} / "
        f"{at(found, 'while', 0.5):,.0f}",
        "barrier p99 before / while, ms": f"{at(found, 'before', 0.99):,.0f} / "
        f"{at(found, 'while', 0.99):,.0f}",
        "p99 while : before": f"{p99:.2f}",
        "longest time between two epochs, s": f"{found['gap']:.2f} (usual {interval:.2f})",
        "the call takes, s": f"{found['seconds']:.2f}",
        "batch Spark over parquet, s": f"{found['alone']:.2f}",
        "call : batch": f"{found['seconds'] / found['alone']:.2f}",
        "peak of the JVM's memory, MB": f"{found['peak'] / 1e6:,.0f}",
    }


GOALS = {
    "p99 while : before": "≤ 1.5",
    "longest time between two epochs, s": "≤ 2",
    "call : batch": "≤ 2",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", default=QUERIES, help=f"which ({QUERIES})")
    parser.add_argument(
        "--rows", type=positive_int, default=2_000_000, help="of the table (2000000)"
    )
    parser.add_argument("--partitions", type=positive_int, default=4, help="of every state (4)")
    parser.add_argument("--seconds", type=positive_float, default=8, help="before and after (8)")
    parser.add_argument("--pause", type=float, default=0.3, help="seconds between writes (0.3)")
    parser.add_argument("--more", type=int, default=0, help="columns that no view reads (0)")
    parser.add_argument("--base", type=Path, help="another tree, to be set beside this one")
    args = parser.parse_args()
    for query in args.queries.split(","):
        before = lines(cell(args.base.resolve(), query, args)) if args.base else {}
        after = lines(cell(BENCHMARKS.parent, query, args))
        print(f"\n| {query}, {args.rows:,} rows | before | after | goal |\n|--|--:|--:|--|")
        for name, value in after.items():
            print(f"| {name} | {before.get(name, '-')} | {value} | {GOALS.get(name, '')} |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
