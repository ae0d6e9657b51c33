#!/usr/bin/env bash
# chdb 4.4.0 (ClickHouse 26.9): lag, lead and nth_value take IGNORE NULLS, and do not ignore nulls.
#
# `lag(v) IGNORE NULLS` is the last value before the row that is not null, the usual way to fill
# gaps of a series. ClickHouse runs the text and gives the value of the row before, null or not, as
# without these words; lead and nth_value likewise. first_value and last_value follow it, and
# RESPECT NULLS is refused: "Function lag does not support RESPECT NULLS". DuckDB 2.0.1 ignores
# nulls in all.
#
# Guess before the run: supported or refused, as RESPECT NULLS is.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'chdb==4.4.0' 'duckdb==2.0.1'
cat >"$work/run.py" <<'PY'
import chdb
import duckdb

rows = "(SELECT 1 AS i, 10 AS v UNION ALL SELECT 2, NULL UNION ALL SELECT 3, 30) t"
frame = " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
for function, where in (
    ("lag(v{})", ""),
    ("lead(v{})", ""),
    ("nth_value(v, 2{})", frame),
    ("last_value(v{})", ""),
):
    for nulls in ("", " IGNORE NULLS"):
        inner, outer = function.format(nulls), function.format("") + nulls
        window = f"OVER (ORDER BY i{where}) FROM {rows} ORDER BY i"
        here = str(chdb.query(f"SELECT {outer} {window}", "TabSeparated")).split()
        there = [row[0] for row in duckdb.sql(f"SELECT {inner} {window}").fetchall()]
        here = [None if value == "\\N" else int(value) for value in here]
        print(f"{outer}: chdb {here} DuckDB {there}")
try:
    chdb.query(f"SELECT lag(v) RESPECT NULLS OVER (ORDER BY i) FROM {rows}")
except Exception as error:
    print("lag(v) RESPECT NULLS:", str(error).split("DB::Exception: ")[1].split(".")[0])
PY
expected="lag(v): chdb [None, 10, None] DuckDB [None, 10, None]
lag(v) IGNORE NULLS: chdb [None, 10, None] DuckDB [None, 10, 10]
lead(v): chdb [None, 30, None] DuckDB [None, 30, None]
lead(v) IGNORE NULLS: chdb [None, 30, None] DuckDB [30, 30, None]
nth_value(v, 2): chdb [None, None, None] DuckDB [None, None, None]
nth_value(v, 2) IGNORE NULLS: chdb [None, None, None] DuckDB [30, 30, 30]
last_value(v): chdb [10, 10, 30] DuckDB [10, None, 30]
last_value(v) IGNORE NULLS: chdb [10, 10, 30] DuckDB [10, 10, 30]
lag(v) RESPECT NULLS: Function lag does not support RESPECT NULLS"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
