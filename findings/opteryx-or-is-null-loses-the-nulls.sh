#!/usr/bin/env bash
# opteryx 0.26.8: `v <> 1 OR v IS NULL` loses the rows with null, `v IS NULL OR v <> 1` keeps them.
#
# In SQL what is unknown OR true is true, and unknown AND false is false, on either side. In opteryx
# null on the left of OR or AND makes null of the whole. So the usual way to keep rows with null
# does nothing, and the order of two conditions decides. COALESCE and CASE keep the rows. Also, the
# average of the two largest whole numbers is -1: their sum wraps without an error. DuckDB 2.0.1
# keeps the rows in each query.
#
# Guess before the run: OR of two conditions does not depend on their order.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'opteryx==0.26.8' 'duckdb==2.0.1' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import duckdb
import opteryx

rows = "FROM (VALUES (1), (2), (CAST(NULL AS INTEGER))) AS t(v)"
for query in (
    f"SELECT v {rows} WHERE v <> 1 OR v IS NULL",
    f"SELECT v {rows} WHERE v IS NULL OR v <> 1",
    f"SELECT v {rows} WHERE v > 1 OR v < 1 OR v IS NULL",
    f"SELECT v {rows} WHERE NOT (v = 1 AND v IS NOT NULL)",
    f"SELECT v {rows} WHERE COALESCE(v, 0) <> 1",
    f"SELECT v, v <> 1 OR v IS NULL {rows}",
    "SELECT avg(v) FROM (VALUES (9223372036854775807), (9223372036854775807)) AS t(v)",
):
    here = [tuple(row) for row in opteryx.query(query).fetchall()]
    there = duckdb.sql(query).fetchall()
    print(query)
    print("  opteryx", sorted(here, key=str))
    print("  DuckDB ", sorted(there, key=str))
PY
expected='SELECT v FROM (VALUES (1), (2), (CAST(NULL AS INTEGER))) AS t(v) WHERE v <> 1 OR v IS NULL
  opteryx [(2,)]
  DuckDB  [(2,), (None,)]
SELECT v FROM (VALUES (1), (2), (CAST(NULL AS INTEGER))) AS t(v) WHERE v IS NULL OR v <> 1
  opteryx [(2,), (None,)]
  DuckDB  [(2,), (None,)]
SELECT v FROM (VALUES (1), (2), (CAST(NULL AS INTEGER))) AS t(v) WHERE v > 1 OR v < 1 OR v IS NULL
  opteryx [(2,)]
  DuckDB  [(2,), (None,)]
SELECT v FROM (VALUES (1), (2), (CAST(NULL AS INTEGER))) AS t(v) WHERE NOT (v = 1 AND v IS NOT NULL)
  opteryx [(2,)]
  DuckDB  [(2,), (None,)]
SELECT v FROM (VALUES (1), (2), (CAST(NULL AS INTEGER))) AS t(v) WHERE COALESCE(v, 0) <> 1
  opteryx [(2,), (None,)]
  DuckDB  [(2,), (None,)]
SELECT v, v <> 1 OR v IS NULL FROM (VALUES (1), (2), (CAST(NULL AS INTEGER))) AS t(v)
  opteryx [(1, False), (2, True), (None, None)]
  DuckDB  [(1, False), (2, True), (None, True)]
SELECT avg(v) FROM (VALUES (9223372036854775807), (9223372036854775807)) AS t(v)
  opteryx [(-1.0,)]
  DuckDB  [(9.223372036854776e+18,)]'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
