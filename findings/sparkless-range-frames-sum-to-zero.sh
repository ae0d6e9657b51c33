#!/usr/bin/env bash
# sparkless 4.16.1: sums over rangeBetween are 0, and other aggregates do not look at their frame.
#
# A frame says over which rows around the current one an aggregate goes. Sums keep to the frames
# rowsBetween(-1, 0) and (0, 1), but over all rows of the partition they become running sums. Over
# rangeBetween each sum and count is 0. The maximum is that of the partition in any frame, count is
# that of the rows before, and last is the row itself. What comes from Spark stands below each line.
# The list of differences from PySpark names none of this.
#
# Guess before the run: the values of Spark, or an error for frames that are not supported.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'sparkless==4.16.1'
cat >"$work/run.py" <<'PY'
from sparkless.sql import SparkSession, functions as F
from sparkless.window import Window

spark = SparkSession.builder.appName("finding").getOrCreate()
rows = spark.createDataFrame([(1, 4), (2, 9), (3, 1), (4, 6)], "i int, v int")
by_i = Window.orderBy("i")
whole = (Window.unboundedPreceding, Window.unboundedFollowing)
for name, window, in_spark in (
    ("rowsBetween(-1, 0)", by_i.rowsBetween(-1, 0), "sum 4, 13, 10, 7; max 4, 9, 9, 6; count 1, 2, 2, 2; last 4, 9, 1, 6"),
    ("rowsBetween of all", by_i.rowsBetween(*whole), "sum 20, 20, 20, 20; max 9, 9, 9, 9; count 4, 4, 4, 4; last 6, 6, 6, 6"),
    ("rowsBetween(0, 1)", by_i.rowsBetween(0, 1), "sum 13, 10, 7, 6; max 9, 9, 6, 6; count 2, 2, 2, 1; last 9, 1, 6, 6"),
    ("rangeBetween(-1, 0)", by_i.rangeBetween(-1, 0), "sum 4, 13, 10, 7; max 4, 9, 9, 6; count 1, 2, 2, 2; last 4, 9, 1, 6"),
):
    seen = []
    for function in ("sum", "max", "count", "last"):
        column = getattr(F, function)("v").over(window).alias("x")
        values = {row["i"]: row["x"] for row in rows.select("i", column).collect()}
        seen.append(f"{function} " + ", ".join(f"{values[i]:g}" for i in sorted(values)))
    print(f"{name}: {'; '.join(seen)}")
    print(f"  Spark: {in_spark}")
PY
expected='rowsBetween(-1, 0): sum 4, 13, 10, 7; max 9, 9, 9, 9; count 1, 2, 2, 2; last 4, 9, 1, 6
  Spark: sum 4, 13, 10, 7; max 4, 9, 9, 6; count 1, 2, 2, 2; last 4, 9, 1, 6
rowsBetween of all: sum 4, 13, 14, 20; max 9, 9, 9, 9; count 1, 2, 3, 4; last 6, 6, 6, 6
  Spark: sum 20, 20, 20, 20; max 9, 9, 9, 9; count 4, 4, 4, 4; last 6, 6, 6, 6
rowsBetween(0, 1): sum 13, 10, 7, 6; max 9, 9, 9, 9; count 1, 2, 2, 2; last 4, 9, 1, 6
  Spark: sum 13, 10, 7, 6; max 9, 9, 6, 6; count 2, 2, 2, 1; last 9, 1, 6, 6
rangeBetween(-1, 0): sum 0, 0, 0, 0; max 9, 9, 9, 9; count 0, 0, 0, 0; last 4, 9, 1, 6
  Spark: sum 4, 13, 10, 7; max 4, 9, 9, 6; count 1, 2, 2, 2; last 4, 9, 1, 6'
seen=$(cd "$work" && "$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
