#!/usr/bin/env bash
# sqlglot 30.30.0: optimize() moves a subquery's columns above an outer join, and null becomes 1.
#
# `LEFT JOIN (SELECT c, 1 AS found FROM u) x` gives null for `found` to rows without a partner: the
# usual way to see which rows have one. optimize() merges the subquery into the outer query, and
# there `found` is the constant 1 for every row. Columns of COALESCE and CASE are moved as well, and
# then make a value of the null that the join puts there. Columns that are null wherever the row is,
# such as d + 1, may be moved. DuckDB 2.0.1 runs both texts.
#
# Guess before the run: the optimized text has the result of the first one.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'sqlglot==30.30.0' 'duckdb==2.0.1'
cat >"$work/run.py" <<'PY'
import duckdb
import sqlglot
from sqlglot.optimizer import optimize

con = duckdb.connect()
con.sql("CREATE TABLE t AS SELECT unnest([1, 2, 3]) AS a")
con.sql("CREATE TABLE u AS SELECT unnest([1, 2]) AS c, unnest([10, NULL]) AS d")
schema = {"t": {"a": "INT"}, "u": {"c": "INT", "d": "INT"}}
for join in ("LEFT", "FULL"):
    for column in ("1", "COALESCE(d, 0)", "CASE WHEN d > 5 THEN 'y' ELSE 'n' END", "d + 1"):
        text = f"SELECT a, x.v FROM t {join} JOIN (SELECT c, {column} AS v FROM u) AS x ON a = x.c"
        tree = optimize(sqlglot.parse_one(text, read="duckdb"), schema=schema, dialect="duckdb")
        before, after = con.sql(text).fetchall(), con.sql(tree.sql("duckdb")).fetchall()
        print(f"{join} JOIN, v is {column}:", [row[1] for row in sorted(before)])
        print("  optimized:", [row[1] for row in sorted(after)])
print(tree.sql("duckdb"))
PY
expected="LEFT JOIN, v is 1: [1, 1, None]
  optimized: [1, 1, 1]
LEFT JOIN, v is COALESCE(d, 0): [10, 0, None]
  optimized: [10, 0, 0]
LEFT JOIN, v is CASE WHEN d > 5 THEN 'y' ELSE 'n' END: ['y', 'n', None]
  optimized: ['y', 'n', 'n']
LEFT JOIN, v is d + 1: [11, None, None]
  optimized: [11, None, None]
FULL JOIN, v is 1: [1, 1, None]
  optimized: [1, 1, 1]
FULL JOIN, v is COALESCE(d, 0): [10, 0, None]
  optimized: [10, 0, 0]
FULL JOIN, v is CASE WHEN d > 5 THEN 'y' ELSE 'n' END: ['y', 'n', None]
  optimized: ['y', 'n', 'n']
FULL JOIN, v is d + 1: [11, None, None]
  optimized: [11, None, None]
SELECT \"t\".\"a\" AS \"a\", \"u\".\"d\" + 1 AS \"v\" FROM \"t\" AS \"t\" FULL JOIN \"u\" AS \"u\" ON \"t\".\"a\" = \"u\".\"c\""
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
