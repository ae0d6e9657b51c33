"""``make bench-refresh``: TPC-H's views of Delta tables, refreshed after some rows changed.

The tables are written by deltalake, with a change data feed. ``python -m groundswell refresh``
fills 22 views. Then, for each share of ``--shares``, so many rows of each table are updated,
inserted or deleted by one MERGE a table, and the same command runs again. Beside it Spark computes
the 22 queries anew over the same files, in a fresh process with the same heap, and writes each
result as Parquet. All views are compared.

``--keep`` names a folder for tables and views. A later run with it fills nothing, and goes on with
the tables as they are.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from shared.arguments import positive_float
from tpch import lake, tables
from tpch.commands import compute, refresh


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--scale", type=positive_float, default=0.02, help="1 has 6,000,000 line items"
    )
    parser.add_argument("--shares", default="0.01", help="of the rows that change, one after one")
    parser.add_argument("--memory", default="3g", help="the heap, as -Xmx takes it")
    parser.add_argument("--keep", type=Path, help="folder that keeps tables and views")
    parser.add_argument("--show", action="store_true", help="prints each refresh's table")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        kept = args.keep or Path(made)
        folder, location, file = kept / "lake", kept / "views", kept / "tpch.sql"
        whole = tables.generate(args.scale)
        count = sum(table.num_rows for table in whole.values())
        print(f"{count:,} rows in 8 Delta tables", flush=True)
        if not location.exists():
            lake.write(folder, whole)
            file.write_text(lake.statements(folder, location))
            filled = refresh(file, args.memory, show=False)
            print(
                f"22 views filled in {filled.whole:.1f} s, {filled.cpu:.1f} s of processor time "
                f"({filled.python:.1f} of Python), peak {filled.peak >> 20:,} MB\n",
                flush=True,
            )
        print("Refreshed and anew: seconds of the 22 views, each in a fresh process. CPU")
        print("seconds are of all its processes. All views are equal to batch Spark's results.\n")
        print(
            "| changed rows | refreshed (s) | anew (s) | anew : refreshed | CPU (s) "
            "| of Python | CPU anew (s) | anew : refreshed | peak (MB) | peak anew (MB) |"
        )
        print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|", flush=True)
        for share in map(float, args.shares.split(",")):
            changed = lake.change(folder, whole, share, seed=5 + lake.version(folder))
            mine = refresh(file, args.memory, show=args.show)
            anew = compute(folder, location, args.memory)
            seconds, cpu = anew.seconds[0], anew.cpu[0]
            print(
                f"| {changed:,} ({changed / count:.1%}) | {mine.itself:.1f} | {seconds:.1f} "
                f"| {seconds / mine.itself:.2f} | {mine.cpu:.1f} | {mine.python:.1f} "
                f"| {cpu:.1f} | {cpu / mine.cpu:.2f} | {mine.peak >> 20:,} | {anew.peak >> 20:,} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
