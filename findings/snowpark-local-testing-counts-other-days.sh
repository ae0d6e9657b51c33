#!/usr/bin/env bash
# snowflake-snowpark-python 1.56.0: in local testing 31 December and 1 January are 0 years apart.
#
# The option local_testing runs the DataFrames of a program without a Snowflake, on pandas, for tests.
# Snowflake documents that DATEDIFF counts the borders between two times: from 31 December to
# 1 January it is a year, a month and a day, from 10:59 to 11:00 an hour. Here it counts what has gone
# by in full, and gives 0. A cast to an integer rounds halves away from zero in Snowflake, here to even;
# so 2.5 is 2, and not 3. In a column that has a null, the decimal 1.10 is not equal to 1.10, but less,
# and in the list [1.10]; without a null, or for 1.50, it is equal.
#
# Guess before the run: 1 year, 1 month, 1 day, 1 hour; 3 and -3; equal.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  'snowflake-snowpark-python[localtest]==1.56.0' 'pandas==2.3.3'
cat >"$work/run.py" <<'PY'
from datetime import datetime
from decimal import Decimal

from snowflake.snowpark import Session
from snowflake.snowpark.functions import col, datediff, lit
from snowflake.snowpark.types import DecimalType, StructField, StructType

session = Session.builder.config("local_testing", True).create()
times = session.create_dataframe(
    [
        (datetime(2023, 12, 31, 12), datetime(2024, 1, 1, 11)),
        (datetime(2024, 1, 1, 10, 59), datetime(2024, 1, 1, 11)),
    ],
    schema=["a", "b"],
)
for part in ("year", "month", "day", "hour"):
    rows = times.select(datediff(part, col("a"), col("b"))).collect()
    print(f"datediff by {part}: {', '.join(str(row[0]) for row in rows)}")
casts = [lit(value).cast("int") for value in (2.5, -2.5, "2.5", 3.5)]
print(f"2.5, -2.5, '2.5' and 3.5 as int: {[int(v) for v in times.select(casts).collect()[0]]}")
schema = StructType([StructField("d", DecimalType(10, 2))])
for texts in (["1.10"], ["1.10", None], ["1.50", None]):
    column, first = [text and Decimal(text) for text in texts], Decimal(texts[0])
    prices, d = session.create_dataframe([(v,) for v in column], schema=schema), col("d")
    conditions = {"=": d == lit(first), "<": d < lit(first), ">": d > lit(first), "in": d.in_(first)}
    found = [name for name, condition in conditions.items() if prices.filter(condition).count()]
    print(f"{texts}: {' '.join(found)} {first}")
PY
expected="datediff by year: 0, 0
datediff by month: 0, 0
datediff by day: 0, 0
datediff by hour: 23, 0
2.5, -2.5, '2.5' and 3.5 as int: [2, -2, 2, 4]
['1.10']: = in 1.10
['1.10', None]: < in 1.10
['1.50', None]: = in 1.50"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
