"""``make bench-refresh``: TPC-H's views of Delta tables, refreshed after one row in 100 changed.

The tables are written by deltalake, with a change data feed. ``python -m groundswell refresh``
fills 22 views; then one row in a hundred of each table is updated, inserted or deleted by one
MERGE a table, and the same command runs again. Beside it Spark computes the 22 queries anew over
the same files, in a warm process, and writes each result as Parquet. All views are compared.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tpch import lake, tables
from tpch.commands import compute, refresh


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=0.02, help="1 has 6,000,000 line items")
    parser.add_argument("--share", type=float, default=0.01, help="of the rows that change")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder, location = Path(made) / "lake", Path(made) / "views"
        whole = tables.generate(args.scale)
        count = sum(table.num_rows for table in whole.values())
        lake.write(folder, whole)
        file = Path(made) / "tpch.sql"
        file.write_text(lake.statements(folder, location))
        print(f"{count:,} rows in 8 Delta tables; 22 views are filled ...", flush=True)
        filled = refresh(file, "3g", show=False)
        changed = lake.change(folder, whole, args.share)
        print(f"{changed:,} rows changed ({changed / count:.1%})\n", flush=True)
        refreshed = refresh(file, "3g", show=True)
        _, anew = compute(folder, location, "3g")
    print("all 22 views are equal to batch Spark's results")
    print(f"{'first fill, the whole command':40}{filled.whole:8.1f} s")
    print(f"{'refresh, the whole command':40}{refreshed.whole:8.1f} s")
    print(f"{'refresh itself, in a cold process':40}{refreshed.itself:8.1f} s")
    print(f"{'all 22 recomputed, warm process':40}{anew:8.1f} s")
    print(f"{'refresh : anew':40}{refreshed.itself / anew:8.2f}")


if __name__ == "__main__":
    main()
