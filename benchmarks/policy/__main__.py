"""``make bench-policy``: following changes, recomputing, and the choice between them.

A view over a table of which 0.1 %, 10 % or 90 % of the rows change in each barrier, under the
policies INCREMENTAL, FULL and AUTO, one after the other in each turn, so that all meet the same
load. AUTO measures in its first barriers; what is told is the median of the second half.
"""

from __future__ import annotations

import argparse
import sys
from statistics import median
from typing import Any

from shared import process
from shared.arguments import positive_int

SHARES = "0.001,0.1,0.9"
GOAL = 1.3


def cost(barriers: list[dict[str, Any]]) -> float:
    """The median milliseconds of the second half of some barriers."""
    return float(median(b["millis"] for b in barriers[len(barriers) // 2 :]))


def line(share: float, told: dict[str, Any]) -> str:
    """A row of the table."""
    followed, anew, auto = (cost(told["barriers"][p]) for p in ("INCREMENTAL", "FULL", "AUTO"))
    choices = "".join(b["choice"][0].upper() for b in told["barriers"]["AUTO"])
    ratio = auto / min(followed, anew) if min(followed, anew) else float("nan")
    right = "yes" if told["right"] else "NO"
    return (
        f"| {share:.1%} | {followed:,.0f} | {anew:,.0f} | {auto:,.0f} | {choices} | {ratio:.2f} "
        f"| {right} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", default="sums", help="of sums, most, join (sums)")
    parser.add_argument("--rows", type=positive_int, default=500_000, help="of the table (500000)")
    parser.add_argument("--shares", default=SHARES, help=f"that change in a barrier ({SHARES})")
    parser.add_argument("--barriers", type=positive_int, default=10, help="of each policy (10)")
    parser.add_argument("--why", action="store_true", help="prints AUTO's reasons")
    args = parser.parse_args()
    for query in args.queries.split(","):
        print(f"\n{query}, {args.rows:,} rows: milliseconds to compute a barrier\n")
        print(
            "| change | INCREMENTAL | FULL | AUTO | AUTO chose (F, I) "
            f"| AUTO : better (≤ {GOAL}) | view is right |"
        )
        print("|--|--:|--:|--:|--|--:|--|")
        for share in map(float, args.shares.split(",")):
            told = process.measured(
                "policy.worker", query, str(args.rows), str(share), str(args.barriers)
            )
            print(line(share, told))
            if args.why:
                for barrier in told["barriers"]["AUTO"]:
                    print(f"  {barrier['millis']} ms, {barrier['choice']}: {barrier['why']}")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
