#!/usr/bin/env bash
# DataFusion 55.0.0: `CASE WHEN v = 0 THEN false ELSE 1 / v > 0 END` divides by zero.
#
# CASE is the one way in SQL to keep an expression from rows that it can not take. DataFusion
# rewrites a CASE whose results are truth values into AND and OR, whose sides it computes for all
# rows: the guard is gone, and the query fails, in WHERE and in SELECT. Casts of texts fail as well.
# A CASE of numbers that is compared after its END keeps the guard. So the same check works or fails
# by the place of its `> 0`. DuckDB 2.0.1 runs all of them.
#
# Guess before the run: the ELSE branch never sees a row that has v = 0.
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

t = pa.table({"v": [1, 0, 2], "s": ["5", "x", "7"]})
context = SessionContext()
context.from_arrow(t, name="t")
guards = (
    "CASE WHEN v = 0 THEN false ELSE 1 / v > 0 END",
    "CASE WHEN s = 'x' THEN false ELSE CAST(s AS INT) > 5 END",
    "CASE WHEN v = 0 THEN 0 ELSE 1 / v END > 0",
)
for guard in guards:
    print(guard)
    for text in (f"SELECT {guard} AS x FROM t", f"SELECT v AS x FROM t WHERE {guard}"):
        try:
            here = [row["x"] for row in context.sql(text).to_pylist()]
        except Exception as error:
            here = str(error).split(":")[1].strip()
        there = [row[0] for row in duckdb.sql(text).fetchall()]
        print(f"  {'WHERE' if 'WHERE' in text else 'SELECT'}: DataFusion {here} DuckDB {there}")
PY
expected="CASE WHEN v = 0 THEN false ELSE 1 / v > 0 END
  SELECT: DataFusion Arrow error DuckDB [True, False, True]
  WHERE: DataFusion Arrow error DuckDB [1, 2]
CASE WHEN s = 'x' THEN false ELSE CAST(s AS INT) > 5 END
  SELECT: DataFusion Arrow error DuckDB [False, False, True]
  WHERE: DataFusion Arrow error DuckDB [2]
CASE WHEN v = 0 THEN 0 ELSE 1 / v END > 0
  SELECT: DataFusion [True, False, False] DuckDB [True, False, True]
  WHERE: DataFusion [1] DuckDB [1, 2]"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
