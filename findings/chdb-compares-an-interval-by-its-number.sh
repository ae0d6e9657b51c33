#!/usr/bin/env bash
# chdb 4.4.0 (ClickHouse 26.9): `b - a > INTERVAL 1 WEEK` is true after five seconds.
#
# The difference of two DateTime is a whole number of seconds, that of two Date one of days.
# Compared with an interval, ClickHouse takes the number of the interval, whatever its unit: 1 WEEK,
# 1 DAY and 1 SECOND are all 1. So a filter for rows older than a week keeps all that are older than
# a second, and `= INTERVAL 1 DAY` is never true of a day. DateTime64, with fractions of seconds, is
# refused: "No operation greater between Decimal and IntervalWeek". `b > a + INTERVAL 1 WEEK` is
# right.
#
# Guess before the run: refused, as for DateTime64, or right.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'chdb==4.4.0' 'duckdb==2.0.1'
cat >"$work/run.py" <<'PY'
import chdb
import duckdb

a, b = "toDateTime('2024-01-01 00:00:00')", "toDateTime('2024-01-01 00:00:05')"
c, d = "toDate('2024-01-01')", "toDate('2024-01-03')"
for text in (
    f"{b} - {a} > INTERVAL 1 SECOND",
    f"{b} - {a} > INTERVAL 1 WEEK",
    f"{b} - {a} = INTERVAL 5 WEEK",
    f"{d} - {c} = INTERVAL 2 DAY",
    f"{d} - {c} = INTERVAL 2 MONTH",
    f"{b} > {a} + INTERVAL 1 WEEK",
):
    print(text, "->", str(chdb.query(f"SELECT {text}")).strip() == "1")
there = "TIMESTAMP '2024-01-01 00:00:05' - TIMESTAMP '2024-01-01 00:00:00' > INTERVAL 1 WEEK"
print("DuckDB:", there, "->", duckdb.sql(f"SELECT {there}").fetchall()[0][0])
try:
    chdb.query(f"SELECT toDateTime64({b}, 3) - toDateTime64({a}, 3) > INTERVAL 1 WEEK")
except Exception as error:
    print("toDateTime64:", str(error).split(": ")[2])
PY
expected="toDateTime('2024-01-01 00:00:05') - toDateTime('2024-01-01 00:00:00') > INTERVAL 1 SECOND -> True
toDateTime('2024-01-01 00:00:05') - toDateTime('2024-01-01 00:00:00') > INTERVAL 1 WEEK -> True
toDateTime('2024-01-01 00:00:05') - toDateTime('2024-01-01 00:00:00') = INTERVAL 5 WEEK -> True
toDate('2024-01-03') - toDate('2024-01-01') = INTERVAL 2 DAY -> True
toDate('2024-01-03') - toDate('2024-01-01') = INTERVAL 2 MONTH -> True
toDateTime('2024-01-01 00:00:05') > toDateTime('2024-01-01 00:00:00') + INTERVAL 1 WEEK -> False
DuckDB: TIMESTAMP '2024-01-01 00:00:05' - TIMESTAMP '2024-01-01 00:00:00' > INTERVAL 1 WEEK -> False
toDateTime64: No operation greater between Decimal(18, 3) and IntervalWeek"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
