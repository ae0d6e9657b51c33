#!/usr/bin/env bash
# csvq 1.18.1: sum(v) OVER (ORDER BY i) runs, and last_value(v) OVER (ORDER BY i) is that of the whole table.
#
# Without ROWS, a window with ORDER BY reaches from its first row to the current one, for every function: with
# distinct i, last_value(v) is v itself. csvq sums that window, counts it, and takes last_value and nth_value from
# all rows of the partition. percent_rank() of the only row is 1, where it is 0 by the standard. HAVING keeps
# groups for which it is true; of no rows, the one group is kept whatever HAVING says. EXCEPT ALL takes away as
# many rows as there are on the right; csvq takes all that are equal. DuckDB has the rows of the standard.
#
# Guess before the run: one frame for all functions, and the rows of DuckDB.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
GOBIN="$work/bin" go install github.com/mithrandie/csvq@v1.18.1 >"$work/go" 2>&1 || { tail -5 "$work/go"; exit 1; }
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'duckdb==2.0.1'
mkdir "$work/data"
printf 'i,v\n1,10\n2,20\n3,30\n' >"$work/data/t.csv"
printf 'i,v\n' >"$work/data/none.csv"
printf 'i,v\n1,5\n2,5\n3,5\n4,6\n' >"$work/data/many.csv"
cat >"$work/run.py" <<'PY'
import json
import subprocess
import sys

import duckdb

CSVQ = [sys.argv[1], "-q", "-r", sys.argv[2], "-f", "JSON"]
for name in ("t", "none", "many"):
    columns = "{'i': 'INT', 'v': 'INT'}"
    duckdb.sql(f"CREATE TABLE {name} AS SELECT * FROM read_csv('{sys.argv[2]}/{name}.csv', columns = {columns})")
for query in (
    "SELECT i, sum(v) OVER (ORDER BY i) AS x FROM t",
    "SELECT i, count(v) OVER (ORDER BY i) AS x FROM t",
    "SELECT i, first_value(v) OVER (ORDER BY i DESC) AS x FROM t",
    "SELECT i, last_value(v) OVER (ORDER BY i) AS x FROM t",
    "SELECT i, nth_value(v, 2) OVER (ORDER BY i) AS x FROM t",
    "SELECT i, percent_rank() OVER (PARTITION BY i ORDER BY v) AS x FROM t",
    "SELECT count(*) AS n FROM none HAVING count(*) > 2",
    "SELECT count(*) AS n FROM t HAVING count(*) > 3",
    "SELECT v FROM many EXCEPT ALL SELECT 5 AS v",
    "SELECT v FROM many INTERSECT ALL SELECT 5 AS v",
):
    out = subprocess.run([*CSVQ, query], capture_output=True, text=True, check=True).stdout.strip()
    found = sorted(tuple("null" if v is None else float(v) for v in row.values()) for row in json.loads(out or "[]"))
    right = sorted(tuple("null" if v is None else float(v) for v in row) for row in duckdb.sql(query).fetchall())
    text = [", ".join(" ".join(str(v) if v == "null" else f"{v:g}" for v in row) for row in rows) for rows in (found, right)]
    print(f"{query}\n  csvq {text[0] or 'no row'}; DuckDB {text[1] or 'no row'}")
PY
expected='SELECT i, sum(v) OVER (ORDER BY i) AS x FROM t
  csvq 1 10, 2 30, 3 60; DuckDB 1 10, 2 30, 3 60
SELECT i, count(v) OVER (ORDER BY i) AS x FROM t
  csvq 1 1, 2 2, 3 3; DuckDB 1 1, 2 2, 3 3
SELECT i, first_value(v) OVER (ORDER BY i DESC) AS x FROM t
  csvq 1 30, 2 30, 3 30; DuckDB 1 30, 2 30, 3 30
SELECT i, last_value(v) OVER (ORDER BY i) AS x FROM t
  csvq 1 30, 2 30, 3 30; DuckDB 1 10, 2 20, 3 30
SELECT i, nth_value(v, 2) OVER (ORDER BY i) AS x FROM t
  csvq 1 10, 2 20, 3 20; DuckDB 1 null, 2 20, 3 20
SELECT i, percent_rank() OVER (PARTITION BY i ORDER BY v) AS x FROM t
  csvq 1 1, 2 1, 3 1; DuckDB 1 0, 2 0, 3 0
SELECT count(*) AS n FROM none HAVING count(*) > 2
  csvq 0; DuckDB no row
SELECT count(*) AS n FROM t HAVING count(*) > 3
  csvq no row; DuckDB no row
SELECT v FROM many EXCEPT ALL SELECT 5 AS v
  csvq 6; DuckDB 5, 5, 6
SELECT v FROM many INTERSECT ALL SELECT 5 AS v
  csvq 5, 5, 5; DuckDB 5'
seen=$("$work/venv/bin/python" "$work/run.py" "$work/bin/csvq" "$work/data" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
