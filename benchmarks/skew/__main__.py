"""``make bench-skew``: a top-N over all rows, whose last stage runs in one partition.

With one stage that partition has all rows and takes all changes; with two it has the first rows of
each partition. Both in one run, each in a process of its own.
"""

from __future__ import annotations

import argparse
from typing import Any

from shared import process
from shared.arguments import positive_int

FIGURES = [
    ("first barrier, all rows (s)", "filled"),
    ("later barriers (ms)", "millis"),
    ("rows into the one partition, a barrier", "last"),
    ("rows of its state", "state"),
    ("its time (us)", "micros"),
    ("time of both stages, all partitions (us)", "all"),
]


def main() -> None:
    parser = argparse.ArgumentParser(prog="skew", description=__doc__)
    parser.add_argument("--rows", type=positive_int, default=500_000)
    parser.add_argument("--changes", type=positive_int, default=5000, help="a barrier (5000)")
    parser.add_argument("--barriers", type=positive_int, default=15)
    parser.add_argument("--partitions", type=positive_int, default=8)
    args = parser.parse_args()
    found: list[dict[str, Any]] = []
    for stages in (1, 2):
        words = (stages, args.rows, args.changes, args.barriers, args.partitions)
        found.append(process.measured("skew.worker", *map(str, words)))
    print(f"top 100 of {args.rows:,} rows, {args.changes:,} changed a barrier; medians\n")
    print("| | one stage | two stages | ratio |\n|--|--:|--:|--:|")
    for text, name in FIGURES:
        one, two = (float(each[name]) for each in found)
        print(f"| {text} | {one:,.1f} | {two:,.1f} | {two / one if one else 0:.2f} |")


if __name__ == "__main__":
    main()
