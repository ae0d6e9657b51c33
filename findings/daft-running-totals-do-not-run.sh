#!/usr/bin/env bash
# daft 0.7.26: `sum(v) OVER (PARTITION BY p ORDER BY t)` is the sum of the whole partition.
#
# With ORDER BY and no frame, SQL's frame ends at the current row and its equals: a running total.
# daft checks the order, and sums all rows of the partition for each row; min, max, count and avg
# likewise. With the frame written out, ROWS runs, but RANGE ends at the row itself: of two rows
# with the same t the first sums only one, though each is in the other's frame. DuckDB 2.0.1 gives
# running totals, and equal rows the same.
#
# Guess before the run: SQL's default, RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'daft==0.7.26' 'duckdb==2.0.1' 'pyarrow==25.0.1'
cat >"$work/run.py" <<'PY'
import daft
import duckdb
import pyarrow as pa

t = pa.table({"p": ["x"] * 4, "t": [1, 2, 2, 3], "v": [1, 10, 10, 100]})
rows = daft.from_arrow(t)
for function, frames in (("sum(v)", 4), ("count(v)", 1), ("max(v)", 1)):
    for frame in (
        "",
        " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
        " RANGE BETWEEN 1 PRECEDING AND CURRENT ROW",
        " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    )[:frames]:
        window = f"{function} OVER (PARTITION BY p ORDER BY t{frame}) AS r"
        here = daft.sql(f"SELECT t, {window} FROM rows", rows=rows).to_pydict()
        there = duckdb.sql(f"SELECT t, {window} FROM t").fetchall()
        print(window)
        print("  daft  ", sorted(zip(here["t"], here["r"], strict=True)))
        print("  DuckDB", sorted((row[0], int(row[1])) for row in there))
PY
expected="sum(v) OVER (PARTITION BY p ORDER BY t) AS r
  daft   [(1, 121), (2, 121), (2, 121), (3, 121)]
  DuckDB [(1, 1), (2, 21), (2, 21), (3, 121)]
sum(v) OVER (PARTITION BY p ORDER BY t RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS r
  daft   [(1, 1), (2, 11), (2, 21), (3, 121)]
  DuckDB [(1, 1), (2, 21), (2, 21), (3, 121)]
sum(v) OVER (PARTITION BY p ORDER BY t RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS r
  daft   [(1, 1), (2, 11), (2, 21), (3, 120)]
  DuckDB [(1, 1), (2, 21), (2, 21), (3, 120)]
sum(v) OVER (PARTITION BY p ORDER BY t ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS r
  daft   [(1, 1), (2, 11), (2, 21), (3, 121)]
  DuckDB [(1, 1), (2, 11), (2, 21), (3, 121)]
count(v) OVER (PARTITION BY p ORDER BY t) AS r
  daft   [(1, 4), (2, 4), (2, 4), (3, 4)]
  DuckDB [(1, 1), (2, 3), (2, 3), (3, 4)]
max(v) OVER (PARTITION BY p ORDER BY t) AS r
  daft   [(1, 100), (2, 100), (2, 100), (3, 100)]
  DuckDB [(1, 1), (2, 10), (2, 10), (3, 100)]"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
