"""``make bench-rescale``: states of growing size get 2, 8 and then 3 partitions as they are kept.

Each size is a process of its own. After each step some rows change, and every view is compared with
batch Spark.
"""

from __future__ import annotations

import argparse
from typing import Any

from shared import process

GOAL = 5.0
"""Seconds a step may take, whatever the size of the states."""


def size(rows: int, steps: str) -> dict[str, Any]:
    """What one process measured."""
    return process.measured("rescale.worker", str(rows), steps)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="300000,1000000", help="of the largest table, by size")
    parser.add_argument("--steps", default="2,8,3", help="numbers of partitions (2,8,3)")
    args = parser.parse_args()
    print(
        "| rows | partitions | state MB | written MB | seconds (goal) | MB/s | barrier s | equal |"
    )
    print("|--|--|--|--|--|--|--|--|")
    for rows in map(int, args.rows.split(",")):
        found = size(rows, args.steps)
        for s in found["steps"]:
            print(
                f"| {rows:,} | {s['from']} -> {s['to']} | {s['before'] / 1e6:,.0f} "
                f"| {s['written'] / 1e6:,.1f} | {s['seconds']:.1f} (≤ {GOAL:.0f}) "
                f"| {s['job']:.1f} | {s['barrier']:.1f} "
                f"| {'yes' if s['equal'] else 'NO'} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
