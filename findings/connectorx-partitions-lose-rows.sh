#!/usr/bin/env bash
# connectorx 0.4.6: read in partitions, a query loses its rows with null, and with LIMIT all rows.
#
# `partition_on="k"` reads ranges of k in parallel, from its minimum to its maximum. No range has
# null, so the rows with null in k are in none of them, also if partition_num is 1. For the minimum
# and maximum of a query with ORDER BY k DESC LIMIT 6 its ORDER BY is taken away, so they are those
# of any six rows, here the first; the ranges between them are then asked for in the last six, and
# none is there. The result has no rows. Without partition_on both queries are right.
#
# Guess before the run: partitions make a query faster, and nothing else, or an error says what to
# add.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'connectorx==0.4.6' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import sqlite3
import sys

import connectorx

file = f"{sys.argv[1]}/rows.db"
with sqlite3.connect(file) as connection:
    connection.execute("CREATE TABLE t (k INTEGER, v INTEGER)")
    rows = [(i if i % 5 else None, i) for i in range(1, 21)]
    connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
for text in (
    "SELECT k, v FROM t",
    "SELECT k, v FROM t WHERE k > 10",
    "SELECT k, v FROM t WHERE k > 0 ORDER BY k LIMIT 6",
    "SELECT k, v FROM t WHERE k > 0 ORDER BY k DESC LIMIT 6",
):
    whole = connectorx.read_sql(f"sqlite://{file}", text, return_type="arrow")
    print(f"{text}: {whole.num_rows} rows")
    for number in (1, 2, 4):
        found = connectorx.read_sql(
            f"sqlite://{file}", text, return_type="arrow", partition_on="k", partition_num=number
        )
        print(f"  in {number} partitions: {found.num_rows} rows")
PY
expected="SELECT k, v FROM t: 20 rows
  in 1 partitions: 16 rows
  in 2 partitions: 16 rows
  in 4 partitions: 16 rows
SELECT k, v FROM t WHERE k > 10: 8 rows
  in 1 partitions: 8 rows
  in 2 partitions: 8 rows
  in 4 partitions: 8 rows
SELECT k, v FROM t WHERE k > 0 ORDER BY k LIMIT 6: 6 rows
  in 1 partitions: 6 rows
  in 2 partitions: 6 rows
  in 4 partitions: 6 rows
SELECT k, v FROM t WHERE k > 0 ORDER BY k DESC LIMIT 6: 6 rows
  in 1 partitions: 0 rows
  in 2 partitions: 0 rows
  in 4 partitions: 0 rows"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
