#!/usr/bin/env bash
# narwhals 2.29.0: of an Arrow table the median of the column 1, 3 is 2, and of the group with 1 and 3 it is 1.
#
# narwhals writes one expression for pandas, Polars, DuckDB and Arrow. nw.col("v").median() is exact for each of them
# over a column. In group_by(), and with over(), Arrow tables get Arrow's median by t-digest, an approximation made for
# large groups: from a hundred values on it is a little off, of 3 to 20 values it is right, and of two values it is
# the smaller one, whatever the other is. The documentation speaks of slight differences between backends. Here it is
# between a column and the same column as its only group, and as large as the group's range.
#
# Guess before the run: one median for the same values, within and without a group.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'narwhals==2.29.0' 'pyarrow==26.0.1' 'polars==2.1.0' 'pandas==3.1.1' 'duckdb==2.0.1'
cat >"$work/run.py" <<'PY'
import duckdb
import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa

MEDIAN = nw.col("v").median()


def first(frame):
    frame = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    return float(frame["v"][0])


for values in ([1, 3], [0, 1000], [1, 2, 3, 100], [n * n for n in range(100)]):
    data = {"k": ["a"] * len(values), "v": values}
    rows = pa.table(data)
    for name, native in (("pandas", pd.DataFrame(data)), ("Polars", pl.DataFrame(data)), ("DuckDB", duckdb.sql("FROM rows")), ("Arrow", rows)):
        frame = nw.from_native(native)
        column = first(frame.select(MEDIAN))
        group = first(frame.group_by("k").agg(MEDIAN))
        over = first(frame.select(MEDIAN.over("k")))
        shown = values if len(values) < 5 else f"{len(values)} values"
        print(f"{name}, {shown}: column {column}, group {group}, over {over}")
PY
expected='pandas, [1, 3]: column 2.0, group 2.0, over 2.0
Polars, [1, 3]: column 2.0, group 2.0, over 2.0
DuckDB, [1, 3]: column 2.0, group 2.0, over 2.0
Arrow, [1, 3]: column 2.0, group 1.0, over 1.0
pandas, [0, 1000]: column 500.0, group 500.0, over 500.0
Polars, [0, 1000]: column 500.0, group 500.0, over 500.0
DuckDB, [0, 1000]: column 500.0, group 500.0, over 500.0
Arrow, [0, 1000]: column 500.0, group 0.0, over 0.0
pandas, [1, 2, 3, 100]: column 2.5, group 2.5, over 2.5
Polars, [1, 2, 3, 100]: column 2.5, group 2.5, over 2.5
DuckDB, [1, 2, 3, 100]: column 2.5, group 2.5, over 2.5
Arrow, [1, 2, 3, 100]: column 2.5, group 2.5, over 2.5
pandas, 100 values: column 2450.5, group 2450.5, over 2450.5
Polars, 100 values: column 2450.5, group 2450.5, over 2450.5
DuckDB, 100 values: column 2450.5, group 2450.5, over 2450.5
Arrow, 100 values: column 2450.5, group 2453.1666666666665, over 2453.1666666666665'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
