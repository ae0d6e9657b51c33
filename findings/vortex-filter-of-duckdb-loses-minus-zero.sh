#!/usr/bin/env bash
# vortex-data 0.90.0 under DuckDB 2.0.1 and Polars 2.1.0: `v = 0` misses -0.0, `v < 0` finds it.
#
# For DuckDB and Polars -0.0 equals 0.0. Both hand their filters on to a Vortex file, and Vortex
# compares floats by their bits in order: -0.0 is less than 0.0, and not equal. What a filter does
# then depends on who evaluates it: the same comparison as a column, or after the rows are loaded,
# gives the other answer. `v < 0` and `v >= 0` still split the rows in two, with -0.0 on the other
# side.
#
# Guess before the run: an engine's filter means the same on every file that the engine can read.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'vortex-data==0.90.0' 'duckdb==2.0.1' 'polars==2.1.0' 'pyarrow==25.0.1'
cat >"$work/run.py" <<'PY'
import sys

import duckdb
import polars as pl
import pyarrow as pa
import vortex

file = f"{sys.argv[1]}/rows.vortex"
vortex.io.write(vortex.array(pa.table({"i": [1, 2, 3], "v": [0.0, -0.0, 1.5]})), file)
rows = vortex.open(file).to_dataset()
for text in ("v = 0", "v < 0", "v >= 0"):
    kept = [row[0] for row in duckdb.sql(f"SELECT i FROM rows WHERE {text}").fetchall()]
    found = duckdb.sql(f"SELECT i, {text} FROM rows").fetchall()
    print(f"DuckDB, {text}: kept {kept}, the column is true for {[i for i, yes in found if yes]}")
lazy = vortex.open(file).to_polars()
for text, filter in (("v = 0", pl.col("v") == 0), ("v < 0", pl.col("v") < 0)):
    kept = lazy.filter(filter).collect()["i"].to_list()
    loaded = lazy.collect().filter(filter)["i"].to_list()
    print(f"Polars, {text}: kept {kept}, after loading {loaded}")
PY
expected='DuckDB, v = 0: kept [1], the column is true for [1, 2]
DuckDB, v < 0: kept [2], the column is true for []
DuckDB, v >= 0: kept [1, 2, 3], the column is true for [1, 2, 3]
Polars, v = 0: kept [1], after loading [1, 2]
Polars, v < 0: kept [2], after loading []'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
