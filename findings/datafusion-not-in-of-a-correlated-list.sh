#!/usr/bin/env bash
# DataFusion 55.0.0: a null that a row does not look at hides it from a correlated NOT IN.
#
# `a NOT IN (SELECT c FROM u WHERE u.day < t.day)` compares each row of t with the rows of u before
# it. A null among them makes the condition unknown, a later one does not matter, and before the
# first row of u it is true whatever a is. DataFusion turns this into one anti join of the two
# tables that gives nothing at all once u has any null in c, and never a row whose a is null. It
# refuses the same with `u.day = t.day`, an error that says why. NOT EXISTS with the same conditions
# finds the rows, and DuckDB 2.0.1 does in all cases.
#
# Guess before the run: a null touches the rows for which it is in the list.
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

t = pa.table({"day": [1, 2, 3, 4], "a": [None, 7, 8, 9]})
for late in (5, None):
    u = pa.table({"day": [1, 3], "c": [8, late]})
    context = SessionContext()
    context.from_arrow(t, name="t")
    context.from_arrow(u, name="u")
    print(f"c on day 3 is {late}")
    for where in (
        "a NOT IN (SELECT c FROM u WHERE u.day < t.day)",
        "NOT EXISTS (SELECT 1 FROM u WHERE u.day < t.day AND (c = a OR c IS NULL OR a IS NULL))",
    ):
        text = f"SELECT day FROM t WHERE {where} ORDER BY day"
        here = [row["day"] for row in context.sql(text).to_pylist()]
        there = [row[0] for row in duckdb.sql(text).fetchall()]
        print(f"  {where}: DataFusion {here} DuckDB {there}")
PY
expected="c on day 3 is 5
  a NOT IN (SELECT c FROM u WHERE u.day < t.day): DataFusion [2, 4] DuckDB [1, 2, 4]
  NOT EXISTS (SELECT 1 FROM u WHERE u.day < t.day AND (c = a OR c IS NULL OR a IS NULL)): DataFusion [1, 2, 4] DuckDB [1, 2, 4]
c on day 3 is None
  a NOT IN (SELECT c FROM u WHERE u.day < t.day): DataFusion [] DuckDB [1, 2]
  NOT EXISTS (SELECT 1 FROM u WHERE u.day < t.day AND (c = a OR c IS NULL OR a IS NULL)): DataFusion [1, 2] DuckDB [1, 2]"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
