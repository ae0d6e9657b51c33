"""``make bench-refresh``: TPC-H's views of Delta tables, refreshed after one row in 100 changed.

The tables are written by deltalake, with a change data feed. ``python -m groundswell refresh``
fills 22 views; then one row in a hundred of each table is updated, inserted or deleted by one
MERGE a table, and the same command runs again. Beside it Spark computes the 22 queries anew over
the same files, in a warm process, and writes each result as Parquet. All views are compared.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import deltalake
import numpy as np
import pyarrow as pa

import groundswell as gs
from shared.session import session
from tpch import tables
from tpch.queries import QUERIES

FEED = {"delta.enableChangeDataFeed": "true"}
GONE = "_gone"


def write(folder: Path, whole: dict[str, pa.Table]) -> None:
    """The tables as they are at first."""
    for name, table in whole.items():
        deltalake.write_deltalake(str(folder / name), table, configuration=FEED)


def change(folder: Path, whole: dict[str, pa.Table], share: float) -> int:
    """One MERGE a table: half of the share gets other values, a quarter goes, a quarter is new."""
    random = np.random.default_rng(5)
    changed = 0
    for name, table in whole.items():
        few = int(table.num_rows * share)
        if few < 4:
            continue
        at = random.permutation(table.num_rows)
        updated, other, gone, copied = (
            table.take(pa.array(at[i * few // 2 : i * few // 2 + n]))
            for i, n in enumerate((few // 2, few // 2, few // 4, few // 4))
        )
        key = tables.KEYS[name]
        rows = [_with_keys(other, updated, key), gone, _with_new_key(copied, key[0])]
        marked = pa.concat_tables(
            part.append_column(GONE, pa.array([i == 1] * part.num_rows, pa.bool_()))
            for i, part in enumerate(rows)
        )
        columns = {column: f"s.{column}" for column in table.column_names}
        merge = deltalake.DeltaTable(str(folder / name)).merge(
            marked, " AND ".join(f"t.{k} = s.{k}" for k in key), "s", "t"
        )
        merge = merge.when_matched_delete(f"s.{GONE}").when_matched_update(columns)
        merge.when_not_matched_insert(columns).execute()
        changed += marked.num_rows
    return changed


def _with_keys(values: pa.Table, keys: pa.Table, key: tuple[str, ...]) -> pa.Table:
    for name in key:
        values = values.set_column(values.schema.get_field_index(name), name, keys.column(name))
    return values


def _with_new_key(rows: pa.Table, name: str) -> pa.Table:
    new = pa.compute.add(rows.column(name), 1 << 40)
    return rows.set_column(rows.schema.get_field_index(name), name, new)


def statements(folder: Path, location: Path) -> str:
    """The file that is refreshed."""
    text = [f"CREATE PIPELINE tpch LOCATION '{location}';"]
    for name, key in tables.KEYS.items():
        text.append(
            f"CREATE SOURCE {name} (PRIMARY KEY ({', '.join(key)})) "
            f"WITH (connector = 'delta', path = '{folder / name}');"
        )
    for name, query in QUERIES.items():
        text.append(f"CREATE MATERIALIZED VIEW {name} AS {query};")
    return "\n".join(text) + "\n"


def refresh(file: Path, show: bool) -> tuple[float, float]:
    """Seconds of the whole command, and those of the refresh itself."""
    begun = time.monotonic()
    command = [sys.executable, "-m", "groundswell", "refresh", str(file), "--master", "local[2]"]
    for conf in ("spark.sql.shuffle.partitions=2", "spark.driver.memory=3g", *QUIET):
        command += ["--conf", conf]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)
    if done.returncode:
        sys.exit(done.stderr[-4000:])
    taken = time.monotonic() - begun
    shown = done.stdout[done.stdout.index("view ") :] if "view " in done.stdout else done.stdout
    if show:
        print(shown)
    rows = re.findall(r"^q\d+ .*?(\d+\.\d+) +(?:incremental|full|nothing)", shown, re.MULTILINE)
    assert len(rows) == len(QUERIES), done.stdout[-4000:]
    return taken, float(rows[0])


QUIET = (
    "spark.driver.bindAddress=127.0.0.1",
    "spark.driver.host=127.0.0.1",
    "spark.ui.enabled=false",
    "spark.ui.showConsoleProgress=false",
    "spark.log.level=ERROR",
)


def plain(value: Any) -> Any:
    """Doubles by nine digits: they are summed in another order."""
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.9g}")
    return value.normalize() if isinstance(value, Decimal) else value


def rows(found: pa.Table) -> list[str]:
    return sorted(repr(tuple(map(plain, row.values()))) for row in found.to_pylist())


def compute(folder: Path, location: Path) -> float:
    """Seconds that Spark takes for all queries anew; compares them with the views."""
    spark = session("anew", {"spark.driver.memory": "3g"}, ours=False)
    with tempfile.TemporaryDirectory() as out:
        seconds = 0.0
        for turn in range(2):  # the first warms the process up
            begun = time.monotonic()
            for name in tables.KEYS:
                files = deltalake.DeltaTable(str(folder / name)).file_uris()
                spark.read.parquet(*files).createOrReplaceTempView(name)
            for name, query in QUERIES.items():
                spark.sql(query).write.parquet(f"{out}/{turn}/{name}")
            seconds = time.monotonic() - begun
        for name in QUERIES:
            anew = rows(spark.read.parquet(f"{out}/1/{name}").toArrow())
            view = rows(gs.view_to_arrow(str(location), name))
            assert view == anew, f"{name}: the view has {len(view)} rows, batch {len(anew)}"
    spark.stop()
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=0.02, help="1 has 6,000,000 line items")
    parser.add_argument("--share", type=float, default=0.01, help="of the rows that change")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder, location = Path(made) / "lake", Path(made) / "views"
        whole = tables.generate(args.scale)
        count = sum(table.num_rows for table in whole.values())
        write(folder, whole)
        file = Path(made) / "tpch.sql"
        file.write_text(statements(folder, location))
        print(f"{count:,} rows in 8 Delta tables; 22 views are filled ...", flush=True)
        filled, _ = refresh(file, show=False)
        changed = change(folder, whole, args.share)
        print(f"{changed:,} rows changed ({changed / count:.1%})\n", flush=True)
        whole_command, seconds = refresh(file, show=True)
        anew = compute(folder, location)
    print("all 22 views are equal to batch Spark's results")
    print(f"{'first fill, the whole command':40}{filled:8.1f} s")
    print(f"{'refresh, the whole command':40}{whole_command:8.1f} s")
    print(f"{'refresh itself, in a cold process':40}{seconds:8.1f} s")
    print(f"{'all 22 computed anew, warm process':40}{anew:8.1f} s")
    print(f"{'refresh : anew':40}{seconds / anew:8.2f}")


if __name__ == "__main__":
    main()
