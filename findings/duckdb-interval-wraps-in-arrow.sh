#!/usr/bin/env bash
# DuckDB 2.0.1: an INTERVAL of more than 292 years is another one once it is Arrow data.
#
# DuckDB keeps months, days and microseconds of an interval. As Arrow's month_day_nano_interval the
# microseconds are multiplied by 1000 in 64 bits, without a check: 5,000,000 hours (570 years) come
# out as minus 14 years. The same column is right as Python objects and as text. Columns of Arrow's
# duration type, which DuckDB reads as intervals, go back wrong in the same way.
#
# Guess before the run: an overflow is an error, as it is for TIMESTAMP casts out of range.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'duckdb==2.0.1' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import duckdb
import pyarrow as pa

made = duckdb.sql("SELECT INTERVAL '5000000 hours' AS v")
print("text", made.project("v::VARCHAR").fetchall()[0][0])
print("arrow", made.to_arrow_table()["v"][0].as_py().nanoseconds)
years = pa.table({"v": pa.array([18_000_000_000_000_000], pa.duration("us"))})
back = duckdb.sql("SELECT v, epoch_us(v) AS micros FROM years")
print("micros of a duration", back.fetchall()[0][1])
print("the same as arrow", back.to_arrow_table()["v"][0].as_py().nanoseconds)
PY
expected='text 5000000:00:00
arrow -446744073709551616
micros of a duration 18000000000000000
the same as arrow -446744073709551616'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
