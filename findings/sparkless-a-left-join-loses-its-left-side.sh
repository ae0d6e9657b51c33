#!/usr/bin/env bash
# sparkless 4.16.1: a left join with a second condition is an inner join, and an anti-join by > a semi-join.
#
# sparkless has the API of PySpark over Polars. A left join keeps each row of the left side: with its
# partners, or with null if there is none. With `(g == h) & (v > 4)` the rows without a partner are
# gone, as if the second part came after the join, and so they are from right and full joins. By i > w
# alone a left join is right, but a semi-join gives a row once per partner, and an anti-join gives the
# same rows: those that have partners. Its list of differences from PySpark names none of this.
#
# Guess before the run: the rows of Spark, or an error.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'sparkless==4.16.1'
cat >"$work/run.py" <<'PY'
from sparkless.sql import SparkSession

spark = SparkSession.builder.appName("finding").getOrCreate()
t = spark.createDataFrame([(1, "a", 5), (2, "a", 3), (3, "b", 7)], "i int, g string, v int")
u = spark.createDataFrame([("a", 1), ("c", 2)], "h string, w int")
for name, condition, how, in_spark in (
    ("g = h", t.g == u.h, "left", "1 1, 2 1, 3 None"),
    ("g = h and v > 4", (t.g == u.h) & (t.v > 4), "left", "1 1, 2 None, 3 None"),
    ("g = h and v > 4", (t.g == u.h) & (t.v > 4), "outer", "1 1, 2 None, 3 None, None 2"),
    ("g = h and w > 1", (t.g == u.h) & (u.w > 1), "right", "None 1, None 2"),
    ("i > w", t.i > u.w, "inner", "2 1, 3 1, 3 2"),
    ("i > w", t.i > u.w, "left", "1 None, 2 1, 3 1, 3 2"),
    ("i > w", t.i > u.w, "left_semi", "2, 3"),
    ("i > w", t.i > u.w, "left_anti", "1"),
):
    columns = ["i"] if how in ("left_semi", "left_anti") else ["i", "w"]
    rows = [" ".join(str(row[column]) for column in columns) for row in t.join(u, condition, how).select(*columns).collect()]
    print(f"{how} join, {name}: {', '.join(sorted(rows)) or 'no rows'} (Spark: {in_spark})")
PY
expected='left join, g = h: 1 1, 2 1, 3 None (Spark: 1 1, 2 1, 3 None)
left join, g = h and v > 4: 1 1 (Spark: 1 1, 2 None, 3 None)
outer join, g = h and v > 4: 1 1 (Spark: 1 1, 2 None, 3 None, None 2)
right join, g = h and w > 1: no rows (Spark: None 1, None 2)
inner join, i > w: 2 1, 3 1, 3 2 (Spark: 2 1, 3 1, 3 2)
left join, i > w: 1 None, 2 1, 3 1, 3 2 (Spark: 1 None, 2 1, 3 1, 3 2)
left_semi join, i > w: 2, 3, 3 (Spark: 2, 3)
left_anti join, i > w: 2, 3, 3 (Spark: 1)'
seen=$(cd "$work" && "$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
