#!/usr/bin/env bash
# DataFusion 55.0.0: `b - a > INTERVAL '1 day'` finds no rows, however far apart a and b are.
#
# An interval is kept as months, days and nanoseconds, and compared by months first, then days, then
# nanoseconds. The difference of two timestamps has nanoseconds only. So 53 hours are less than a
# day, a month is more than 60 days, and 24 hours are not a day: max, ORDER BY, DISTINCT and joins
# go by that as well. INTERVAL '24 hours', or `a + INTERVAL '1 day' < b`, find the rows. DuckDB
# 2.0.1 compares intervals as PostgreSQL does, with 24 hours to a day and 30 days to a month.
#
# Guess before the run: a day is 24 hours, or the comparison is refused.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'datafusion==55.0.0' 'duckdb==2.0.1' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
from datetime import datetime

import duckdb
import pyarrow as pa
from datafusion import SessionContext

start = datetime(2024, 1, 1)
ends = [datetime(2024, 1, 1, 5), datetime(2024, 1, 2, 5), datetime(2024, 1, 3, 5)]
t = pa.table({"hours": [5, 29, 53], "a": [start] * 3, "b": ends})
context = SessionContext()
context.from_arrow(t, name="t")
for where in (
    "b - a > INTERVAL '1 day'",
    "b - a <= INTERVAL '1 day'",
    "b - a > INTERVAL '24 hours'",
    "a + INTERVAL '1 day' < b",
    "INTERVAL '1 day' > INTERVAL '48 hours' AND INTERVAL '1 month' > INTERVAL '60 days'",
):
    text = f"SELECT hours FROM t WHERE {where} ORDER BY hours"
    here = [row["hours"] for row in context.sql(text).to_pylist()]
    print(where)
    print("  DataFusion", here, "DuckDB", [row[0] for row in duckdb.sql(text).fetchall()])
PY
expected="b - a > INTERVAL '1 day'
  DataFusion [] DuckDB [29, 53]
b - a <= INTERVAL '1 day'
  DataFusion [5, 29, 53] DuckDB [5]
b - a > INTERVAL '24 hours'
  DataFusion [29, 53] DuckDB [29, 53]
a + INTERVAL '1 day' < b
  DataFusion [29, 53] DuckDB [29, 53]
INTERVAL '1 day' > INTERVAL '48 hours' AND INTERVAL '1 month' > INTERVAL '60 days'
  DataFusion [5, 29, 53] DuckDB []"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
