#!/usr/bin/env bash
# sparkless 4.16.1: collect_list keeps nulls, null is no duplicate of null, and infinity is collected as None.
#
# In Spark collect_list and collect_set leave nulls out. intersect, subtract and exceptAll take null
# for equal to null, and exceptAll takes one row away per row of the other side. sparkless collects
# the nulls, never finds null on the other side, and exceptAll takes all equal rows away. Infinity and
# NaN arrive as None, though isnan and a cast to string still see them: groups of three values look
# like three groups of null. The list of differences from PySpark names none of this.
#
# Guess before the run: the rows of Spark.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'sparkless==4.16.1'
cat >"$work/run.py" <<'PY'
from sparkless.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("finding").getOrCreate()
t = spark.createDataFrame([(1,), (1,), (None,), (None,), (2,)], "k int")
u = spark.createDataFrame([(1,), (None,), (3,)], "k int")
for name, in_spark in (("intersect", "1, None"), ("subtract", "2"), ("exceptAll", "1, 2, None")):
    rows = sorted(str(row["k"]) for row in getattr(t, name)(u).collect())
    print(f"{name}: {', '.join(rows)} (Spark: {in_spark})")
row = t.agg(F.collect_list("k").alias("list"), F.size(F.collect_set("k")).alias("set")).collect()[0]
print("collect_list", row["list"], "and size of collect_set", row["set"], "(Spark: [1, 1, 2] and 2)")
floats = spark.createDataFrame([(float("inf"),), (float("nan"),), (None,)], "f double")
for row in floats.groupBy("f").count().withColumn("text", F.col("f").cast("string")).orderBy("text").collect():
    print("group", row["f"], "with rows:", row["count"], "and as text:", row["text"])
PY
expected='intersect: 1 (Spark: 1, None)
subtract: 2, None, None (Spark: 2)
exceptAll: 2, None, None (Spark: 1, 2, None)
collect_list [1, 1, None, None, 2] and size of collect_set 3 (Spark: [1, 1, 2] and 2)
group None with rows: 1 and as text: None
group None with rows: 1 and as text: NaN
group None with rows: 1 and as text: inf'
seen=$(cd "$work" && "$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
