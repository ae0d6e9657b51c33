#!/usr/bin/env bash
# tableauhyperapi 0.0.26963: a row stays for which `v NOT IN (SELECT ...)` is null.
#
# With a null in the list, NOT IN of a value that is not in it is null, and WHERE keeps only what is
# true. Hyper shows null for the condition in SELECT, and keeps the row in WHERE; also a row whose v
# is null, and `<> ALL` and `> ALL`. With OR beside it, or as a list of values, the same condition
# keeps nothing. So a filter that adds rows to another, `... OR v = 1`, gives fewer. DuckDB 2.0.1
# keeps no row.
#
# Guess before the run: WHERE keeps a row if SELECT shows true for it.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'tableauhyperapi==0.0.26963' 'duckdb==2.0.1'
cat >"$work/run.py" <<'PY'
import os
import sys

import duckdb
from tableauhyperapi import Connection, CreateMode, HyperProcess, Telemetry

os.chdir(sys.argv[1])
tables = (
    "CREATE TABLE t (v INT)",
    "INSERT INTO t VALUES (1), (3), (NULL)",
    "CREATE TABLE u (k INT)",
    "INSERT INTO u VALUES (1), (2), (NULL)",
)
for text in tables:
    duckdb.execute(text)
with HyperProcess(Telemetry.DO_NOT_SEND_USAGE_DATA_TO_TABLEAU) as process:
    with Connection(process.endpoint, "rows.hyper", CreateMode.CREATE) as connection:
        for text in tables:
            connection.execute_command(text)
        for where in (
            "v NOT IN (SELECT k FROM u)",
            "v NOT IN (SELECT k FROM u) OR v = 1",
            "v NOT IN (1, 2, NULL)",
            "v > ALL (SELECT k FROM u)",
        ):
            print(where)
            shown = f"SELECT v, {where} FROM t ORDER BY v NULLS LAST"
            kept = f"SELECT v FROM t WHERE {where} ORDER BY v NULLS LAST"
            here = [dict(map(tuple, connection.execute_list_query(shown)))]
            here += [[row[0] for row in connection.execute_list_query(kept)]]
            there = [dict(duckdb.sql(shown).fetchall())]
            there += [[row[0] for row in duckdb.sql(kept).fetchall()]]
            print(f"  Hyper: condition {here[0]}, kept {here[1]}")
            print(f"  DuckDB: condition {there[0]}, kept {there[1]}")
PY
expected="v NOT IN (SELECT k FROM u)
  Hyper: condition {1: False, 3: None, None: None}, kept [3, None]
  DuckDB: condition {1: False, 3: None, None: None}, kept []
v NOT IN (SELECT k FROM u) OR v = 1
  Hyper: condition {1: True, 3: None, None: None}, kept [1]
  DuckDB: condition {1: True, 3: None, None: None}, kept [1]
v NOT IN (1, 2, NULL)
  Hyper: condition {1: False, 3: None, None: None}, kept []
  DuckDB: condition {1: False, 3: None, None: None}, kept []
v > ALL (SELECT k FROM u)
  Hyper: condition {1: False, 3: None, None: None}, kept [3, None]
  DuckDB: condition {1: False, 3: None, None: None}, kept []"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
