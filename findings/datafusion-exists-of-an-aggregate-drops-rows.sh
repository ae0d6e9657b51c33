#!/usr/bin/env bash
# DataFusion 55.0.0: for a row that has no partner, a correlated count is 0, and is not IN (0).
#
# An aggregate without GROUP BY gives one row, also over nothing: EXISTS of it is true for every row
# outside, and `0 IN (SELECT count(*) ...)` is true for those without a partner. DataFusion joins
# with the groups that are there instead, so both drop these rows. The same count as a value,
# `(SELECT count(*) ...) = 0`, was given a special treatment, and is right. DuckDB 2.0.1 is right in
# all.
#
# Guess before the run: `(SELECT x) = 0` and `0 IN (SELECT x)` are the same for one row.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'datafusion==55.0.0' 'duckdb==2.0.1' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import duckdb
import pyarrow as pa
from datafusion import SessionContext

t, u = pa.table({"v": [1, 2, 3]}), pa.table({"k": [1, 1, 2]})
context = SessionContext()
context.from_arrow(t, name="t")
context.from_arrow(u, name="u")
for where in (
    "(SELECT count(*) FROM u WHERE k = v) = 0",
    "0 IN (SELECT count(*) FROM u WHERE k = v)",
    "0 NOT IN (SELECT count(*) FROM u WHERE k = v)",
    "EXISTS (SELECT max(k) FROM u WHERE k = v)",
    "NOT EXISTS (SELECT max(k) FROM u WHERE k = v)",
):
    text = f"SELECT v FROM t WHERE {where} ORDER BY v"
    here = [row["v"] for row in context.sql(text).to_pylist()]
    there = [row[0] for row in duckdb.sql(text).fetchall()]
    print(f"{where}: DataFusion {here} DuckDB {there}")
PY
expected="(SELECT count(*) FROM u WHERE k = v) = 0: DataFusion [3] DuckDB [3]
0 IN (SELECT count(*) FROM u WHERE k = v): DataFusion [] DuckDB [3]
0 NOT IN (SELECT count(*) FROM u WHERE k = v): DataFusion [1, 2, 3] DuckDB [1, 2]
EXISTS (SELECT max(k) FROM u WHERE k = v): DataFusion [1, 2] DuckDB [1, 2, 3]
NOT EXISTS (SELECT max(k) FROM u WHERE k = v): DataFusion [3] DuckDB []"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
