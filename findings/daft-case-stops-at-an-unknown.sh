#!/usr/bin/env bash
# daft 0.7.26: CASE gives null for a row whose first condition is unknown, whatever follows.
#
# `CASE WHEN s = 'a' THEN 1 WHEN s IS NULL THEN 2 ELSE 3 END` goes to the next WHEN if a condition
# is not true, in SQL. In daft it ends there with null if the condition is null: WHEN s IS NULL is
# never reached, and ELSE is not taken. The same three conditions in another order give 2. Filters
# built of CASE lose these rows without a word. WHERE and coalesce handle null as SQL does, and
# DuckDB 2.0.1 takes the next branch.
#
# Guess before the run: a branch is taken only if its condition is true, or else the next one.
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

t = pa.table({"i": [1, 2, 3], "s": ["a", None, "b"]})
rows = daft.from_arrow(t)
for case in (
    "CASE WHEN s = 'a' THEN 1 WHEN s IS NULL THEN 2 ELSE 3 END",
    "CASE WHEN s IS NULL THEN 2 WHEN s = 'a' THEN 1 ELSE 3 END",
    "CASE WHEN s = 'a' THEN 'yes' ELSE 'no' END",
    "CASE WHEN coalesce(s = 'a', false) THEN 'yes' ELSE 'no' END",
):
    here = daft.sql(f"SELECT i, {case} AS v FROM rows ORDER BY i", rows=rows).to_pydict()["v"]
    there = [row[0] for row in duckdb.sql(f"SELECT {case} FROM t ORDER BY i").fetchall()]
    print(f"{case}: daft {here} DuckDB {there}")
for name, sum_if in (("=", "s = 'a'"), ("<>", "s <> 'a'")):
    text = f"sum(CASE WHEN {sum_if} THEN 0 ELSE i END) AS v"
    here = daft.sql(f"SELECT {text} FROM rows", rows=rows).to_pydict()["v"]
    there = [int(row[0]) for row in duckdb.sql(f"SELECT {text} FROM t").fetchall()]
    print(f"{text}: daft {here} DuckDB {there}")
PY
expected="CASE WHEN s = 'a' THEN 1 WHEN s IS NULL THEN 2 ELSE 3 END: daft [1, None, 3] DuckDB [1, 2, 3]
CASE WHEN s IS NULL THEN 2 WHEN s = 'a' THEN 1 ELSE 3 END: daft [1, 2, 3] DuckDB [1, 2, 3]
CASE WHEN s = 'a' THEN 'yes' ELSE 'no' END: daft ['yes', None, 'no'] DuckDB ['yes', 'no', 'no']
CASE WHEN coalesce(s = 'a', false) THEN 'yes' ELSE 'no' END: daft ['yes', 'no', 'no'] DuckDB ['yes', 'no', 'no']
sum(CASE WHEN s = 'a' THEN 0 ELSE i END) AS v: daft [3] DuckDB [5]
sum(CASE WHEN s <> 'a' THEN 0 ELSE i END) AS v: daft [1] DuckDB [3]"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
