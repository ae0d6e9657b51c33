#!/usr/bin/env bash
# DataFusion 55.0.0: `v IN (SELECT ...)` is false where it is unknown, beside anything else.
#
# If a list has a null, IN of a value that is not in it is unknown. DataFusion has that right if NOT
# IN stands alone in WHERE. Below OR, CASE, COALESCE, IS NULL or a comparison it makes a mark per
# row instead, which is true or false and never null. So `v NOT IN (...)` gives no rows, and `v NOT
# IN (...) OR v = 1` gives rows with v other than 1: a condition that adds rows makes others true.
# The same list written out, `v IN (1, NULL)`, is right everywhere. DuckDB 2.0.1 is, too.
#
# Guess before the run: `p OR v = 1` adds to the rows of `p` those with v = 1.
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

t, u = pa.table({"v": [1, 2, 3]}), pa.table({"k": [1, None]})
context = SessionContext()
context.from_arrow(t, name="t")
context.from_arrow(u, name="u")
for where in (
    "v NOT IN ({})",
    "v NOT IN ({}) OR v = 1",
    "(v IN ({})) IS NULL",
    "(v IN ({})) IS FALSE",
    "coalesce(v IN ({}), true)",
    "CASE WHEN v NOT IN ({}) THEN false ELSE true END",
):
    print(where.format("..."))
    for values in ("SELECT k FROM u", "1, NULL"):
        text = f"SELECT v FROM t WHERE {where.format(values)} ORDER BY v"
        here = [row["v"] for row in context.sql(text).to_pylist()]
        there = [row[0] for row in duckdb.sql(text).fetchall()]
        print(f"  {values}: DataFusion {here} DuckDB {there}")
PY
expected="v NOT IN (...)
  SELECT k FROM u: DataFusion [] DuckDB []
  1, NULL: DataFusion [] DuckDB []
v NOT IN (...) OR v = 1
  SELECT k FROM u: DataFusion [1, 2, 3] DuckDB [1]
  1, NULL: DataFusion [1] DuckDB [1]
(v IN (...)) IS NULL
  SELECT k FROM u: DataFusion [] DuckDB [2, 3]
  1, NULL: DataFusion [2, 3] DuckDB [2, 3]
(v IN (...)) IS FALSE
  SELECT k FROM u: DataFusion [2, 3] DuckDB []
  1, NULL: DataFusion [] DuckDB []
coalesce(v IN (...), true)
  SELECT k FROM u: DataFusion [1] DuckDB [1, 2, 3]
  1, NULL: DataFusion [1, 2, 3] DuckDB [1, 2, 3]
CASE WHEN v NOT IN (...) THEN false ELSE true END
  SELECT k FROM u: DataFusion [1] DuckDB [1, 2, 3]
  1, NULL: DataFusion [1, 2, 3] DuckDB [1, 2, 3]"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
