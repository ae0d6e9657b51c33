"""``make bench-fill``: TPC-H's 22 views of tables that are there, filled in a heap of fixed size.

The tables are written by deltalake. ``python -m groundswell refresh`` fills 22 views in a process
whose heap is ``--memory`` large. Beside it Spark alone computes the 22 queries, in the same heap,
in a fresh process and once more in the warm one. All views are compared.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

from shared.arguments import positive_float, positive_int
from tpch import lake, tables
from tpch.commands import compute, refresh


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--scale", type=positive_float, default=0.2, help="1 has 6,000,000 line items"
    )
    parser.add_argument("--memory", default="2g", help="the heap, as -Xmx takes it")
    parser.add_argument("--conf", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--lake", type=Path, help="folder that keeps the tables for the next run")
    parser.add_argument(
        "--part-rows", type=positive_int, help="rows of a barrier (default: by the heap)"
    )
    args = parser.parse_args()
    confs = dict(conf.split("=", 1) for conf in args.conf)
    with tempfile.TemporaryDirectory() as made:
        folder, location = args.lake or Path(made) / "lake", Path(made) / "views"
        if not folder.exists():
            lake.write(folder, tables.generate(args.scale))
        count = sum(lake.count(folder, name) for name in tables.KEYS)
        file = Path(made) / "tpch.sql"
        options = f"maxBarrierRows = '{args.part_rows}'" if args.part_rows else ""
        file.write_text(lake.statements(folder, location, options))
        print(f"{count:,} rows in 8 Delta tables, a heap of {args.memory}", flush=True)
        filled = refresh(file, args.memory, show=False, confs=confs)
        barriers = 1 + max(int(path.name) for path in (location / "commits").glob("[0-9]*"))
        disk = sum(path.stat().st_size for path in location.rglob("*") if path.is_file())
        print(f"filled in {filled.whole:.1f} s; Spark computes the 22 views ...", flush=True)
        alone = compute(folder, location, args.memory, turns=2)
        shutil.rmtree(location)
    print("all 22 views are equal to batch Spark's results")
    print(f"{'barriers of the fill':44}{barriers:8}")
    print(f"{'first fill, the whole command':44}{filled.whole:8.1f} s")
    print(f"{'of that the fill itself':44}{filled.itself:8.1f} s")
    print(f"{'processor time of the command':44}{filled.cpu:8.1f} s")
    print(f"{'peak memory of the process':44}{filled.peak / 2**20:8.0f} MB")
    print(f"{'states and views on disk':44}{disk / 2**20:8.0f} MB")
    (cold, warm), (cold_cpu, warm_cpu) = alone.seconds, alone.cpu
    print(f"{'Spark alone, all 22, fresh process':44}{cold:8.1f} s")
    print(f"{'processor time of that process':44}{cold_cpu:8.1f} s")
    print(f"{'Spark alone, all 22, warm process':44}{warm:8.1f} s")
    print(f"{'processor time of that':44}{warm_cpu:8.1f} s")
    print(f"{'peak memory of Spark alone':44}{alone.peak / 2**20:8.0f} MB")
    print(f"{'fill itself : Spark alone, fresh process':44}{filled.itself / cold:8.2f}")
    print(f"{'the same by processor time':44}{filled.cpu / cold_cpu:8.2f}")


if __name__ == "__main__":
    main()
