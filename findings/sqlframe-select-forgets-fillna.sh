#!/usr/bin/env bash
# sqlframe 4.10.0: after `df.fillna(0.0)`, a select() of the filled column has the nulls again.
#
# sqlframe is Spark's DataFrame API over DuckDB and other engines. fillna and replace give a frame
# whose rows are right if it is collected. A select, where or groupBy after them takes the place of
# their columns in the SQL, and reads those of before: null where 0.0 was filled in, and 'a' where
# it was replaced. No error is raised; a minimum or a sum of filled values is that of the old ones.
# With an orderBy between the two, and after withColumn, the values are right.
#
# Guess before the run: a select takes columns of the frame that it is called on, as in Spark.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'sqlframe==4.10.0' 'duckdb==2.0.1'
cat >"$work/run.py" <<'PY'
from sqlframe.duckdb import DuckDBSession
from sqlframe.duckdb import functions as F

session = DuckDBSession()
df = session.createDataFrame([(1, "a", 1.0), (2, "a", None), (3, "b", 2.0)], ["i", "g", "x"])
filled, replaced = df.fillna(0.0, subset=["x"]), df.replace("a", "z", subset=["g"])
for name, frame in (
    ("fillna", filled),
    ("fillna, select", filled.select("x")),
    ("fillna, where, select", filled.where("i > 0").select("x")),
    ("fillna, orderBy, select", filled.orderBy("i").select("x")),
    ("fillna, min", filled.agg(F.min("x").alias("x"))),
    ("replace", replaced),
    ("replace, select", replaced.select("g")),
    ("replace, where, select", replaced.where("i > 0").select("g")),
    ("replace, count by g", replaced.groupBy("g").count().orderBy("g").select("g")),
    ("withColumn, select", df.withColumn("x", F.coalesce("x", F.lit(0.0))).select("x")),
):
    column = "g" if name.startswith("replace") else "x"
    print(f"{name}: {[row[column] for row in frame.collect()]}")
PY
expected=$(cat <<'SEEN'
fillna: [1.0, 0.0, 2.0]
fillna, select: [1.0, None, 2.0]
fillna, where, select: [1.0, None, 2.0]
fillna, orderBy, select: [1.0, 0.0, 2.0]
fillna, min: [1.0]
replace: ['z', 'z', 'b']
replace, select: ['a', 'a', 'b']
replace, where, select: ['a', 'a', 'b']
replace, count by g: ['a', 'b']
withColumn, select: [1.0, 0.0, 2.0]
SEEN
)
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
