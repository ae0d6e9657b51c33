"""``make bench-merging``: barriers of a pipeline on one core, whoever merges its files.

*own*: the executor merges on that core. *elsewhere*: another process does, on the other core.
*nobody*: it is not started, so that the executor merges only in need.
"""

from __future__ import annotations

import argparse

from shared import process
from shared.arguments import positive_int

KINDS = ("own", "elsewhere", "nobody")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=positive_int, default=400_000)
    parser.add_argument(
        "--rows", type=positive_int, default=20_000, help="changes a barrier (20000)"
    )
    parser.add_argument(
        "--barriers",
        type=positive_int,
        default=200,
        help="of these the second half counts, a hundred at most (200)",
    )
    args = parser.parse_args()
    print("| merges | barrier, ms: median | p99 | greatest | CPU of merges in it, s | sub-levels |")
    print("|--|--:|--:|--:|--:|--:|")
    for kind in KINDS:
        found = process.run(
            "merging.worker", kind, *map(str, (args.keys, args.rows, args.barriers))
        )
        print(
            f"| {kind} | {found['median']:.0f} | {found['p99']:.0f} | {found['max']:.0f} "
            f"| {found['cpu']:.1f} | {found['subLevels']} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
