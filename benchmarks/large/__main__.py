"""``make bench-large``: a barrier that is larger than memory, beside the same rows in twenty.

Each cell is a process of its own with a heap of ``--memory``. Batch Spark checks every result.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from large.inputs import CASES
from shared import process
from shared.arguments import positive_int
from shared.names import named


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", default=",".join(CASES), help="names, with commas between")
    parser.add_argument(
        "--events", type=positive_int, default=20_000_000, help="of Nexmark (20,000,000)"
    )
    parser.add_argument(
        "--rows", type=positive_int, default=5_000_000, help="of one key (5,000,000)"
    )
    parser.add_argument("--barriers", default="1,20", help="numbers of barriers (1,20)")
    parser.add_argument("--memory", default="2g", help="the heap, as -Xmx takes it (2g)")
    args = parser.parse_args()
    cases = named(parser.error, "cases", args.cases, CASES)
    print("| case | barriers | s | CPU s | peak MB | disk MB | rows | equal to batch |")
    print("|--|--:|--:|--:|--:|--:|--:|--|")
    for name in cases:
        for barriers in map(int, args.barriers.split(",")):
            with tempfile.TemporaryDirectory(prefix="large-") as folder:
                data = Path(folder) / "data"
                rows = args.rows if name.startswith("one-key") else args.events
                CASES[name].write(data, rows, barriers)
                try:
                    said = process.run("large.worker", name, str(data), args.memory)
                except process.WorkerError as error:
                    print(f"| {name} | {barriers} | failed: {error.said[-300:]!r} |", flush=True)
                    continue
            print(
                f"| {name} | {said['barriers']} | {said['seconds']:.1f} | {said['cpu']:.1f} "
                f"| {said['peak'] >> 20:,} | {said['disk'] >> 20:,} | {said['rows']:,} "
                f"| {'yes' if said['equal'] else 'NO'} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
