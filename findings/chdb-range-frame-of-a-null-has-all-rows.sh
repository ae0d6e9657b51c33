#!/usr/bin/env bash
# chdb 4.4.0 (ClickHouse 26.9): in a RANGE frame null is within 1 of every number, in two orders.
#
# `ORDER BY k RANGE BETWEEN 1 PRECEDING AND CURRENT ROW` takes the rows whose key is at most 1 less.
# Null is near null only: the frame of a row whose key is null has the rows with null. DuckDB 2.0.1
# and PostgreSQL do that in every order, ClickHouse in two of four. Where null stands as if it were
# the largest (ascending with nulls last, its default, or descending with nulls first), the row with
# null sums all rows, and with FOLLOWING each row sums the one with null and all between.
#
# Guess before the run: where nulls are put in the order does not change a frame by distance.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'chdb==4.4.0' 'duckdb==2.0.1'
cat >"$work/run.py" <<'PY'
import chdb
import duckdb

rows = "(SELECT 1 AS k, 1 AS i UNION ALL SELECT 2, 10 UNION ALL SELECT NULL, 100) t"
for order in ("k", "k NULLS FIRST", "k DESC", "k DESC NULLS FIRST"):
    for frame in ("1 PRECEDING AND CURRENT ROW", "CURRENT ROW AND 1 FOLLOWING"):
        window = f"ORDER BY {order} RANGE BETWEEN {frame}"
        text = f"SELECT k, sum(i) OVER ({window}) AS s FROM {rows} ORDER BY k NULLS LAST"
        here = [line.split("\t")[1] for line in str(chdb.query(text, "TabSeparated")).splitlines()]
        there = [str(row[1]) for row in duckdb.sql(text).fetchall()]
        print(f"{window}: chdb {here} DuckDB {there}{'' if here == there else '  <--'}")
PY
expected="ORDER BY k RANGE BETWEEN 1 PRECEDING AND CURRENT ROW: chdb ['1', '11', '111'] DuckDB ['1', '11', '100']  <--
ORDER BY k RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING: chdb ['111', '110', '100'] DuckDB ['11', '10', '100']  <--
ORDER BY k NULLS FIRST RANGE BETWEEN 1 PRECEDING AND CURRENT ROW: chdb ['1', '11', '100'] DuckDB ['1', '11', '100']
ORDER BY k NULLS FIRST RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING: chdb ['11', '10', '100'] DuckDB ['11', '10', '100']
ORDER BY k DESC RANGE BETWEEN 1 PRECEDING AND CURRENT ROW: chdb ['11', '10', '100'] DuckDB ['11', '10', '100']
ORDER BY k DESC RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING: chdb ['1', '11', '100'] DuckDB ['1', '11', '100']
ORDER BY k DESC NULLS FIRST RANGE BETWEEN 1 PRECEDING AND CURRENT ROW: chdb ['111', '110', '100'] DuckDB ['11', '10', '100']  <--
ORDER BY k DESC NULLS FIRST RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING: chdb ['1', '11', '111'] DuckDB ['1', '11', '100']  <--"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
