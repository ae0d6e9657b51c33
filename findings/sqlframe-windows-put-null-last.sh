#!/usr/bin/env bash
# sqlframe 4.10.0: Window.orderBy("x") puts null last, Window.orderBy(col("x").asc()) first.
#
# In Spark null is the least value of an order. sqlframe writes that into the SQL for DuckDB in
# orderBy of a frame, and in a window for columns with asc() or desc(); a window over a plain name
# gets DuckDB's order. So row_number, lag and running sums differ by how the same order is written,
# and the row that is first in the frame is last in its window. Also unlike Spark, collect_list
# keeps nulls, the index in transform begins at 1, and sequence(3, 1) is empty.
#
# Guess before the run: null first in all of them, as in Spark.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'sqlframe==4.10.0' 'duckdb==2.0.1'
cat >"$work/run.py" <<'PY'
from sqlframe.duckdb import DuckDBSession, Window
from sqlframe.duckdb import functions as F

session = DuckDBSession()
df = session.createDataFrame([(1, 1.0), (2, None), (3, 2.0)], ["i", "x"])
print("frame:", [row[0] for row in df.orderBy("x").select("i").collect()])
for name, order in (
    ("plain", "x"),
    ("column", F.col("x")),
    ("asc()", F.col("x").asc()),
    ("desc()", F.col("x").desc()),
):
    window = Window.orderBy(order)
    row = df.select("i", F.row_number().over(window).alias("n"), F.sum("i").over(window).alias("s"))
    rows = sorted(row.collect(), key=lambda r: r[1])
    print(f"window, {name}: order {[r[0] for r in rows]}, running sums {[r[2] for r in rows]}")
array = F.array(F.lit(10), F.lit(20))
for name, value in (
    ("collect_list", df.agg(F.collect_list("x").alias("v"))),
    ("transform", df.limit(1).select(F.transform(array, lambda v, i: v + i).alias("v"))),
    ("sequence(3, 1)", df.limit(1).select(F.sequence(F.lit(3), F.lit(1)).alias("v"))),
):
    print(f"{name}: {value.collect()[0][0]}")
PY
expected='frame: [2, 1, 3]
window, plain: order [1, 3, 2], running sums [1, 4, 6]
window, column: order [1, 3, 2], running sums [1, 4, 6]
window, asc(): order [2, 1, 3], running sums [2, 3, 6]
window, desc(): order [3, 1, 2], running sums [3, 4, 6]
collect_list: [1.0, None, 2.0]
transform: [11, 22]
sequence(3, 1): []'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
