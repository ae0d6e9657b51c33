#!/usr/bin/env bash
# Spark 4.3.0: in a data set of strings that is read as CSV, a line feed spoils the row after it.
#
# `spark.read.csv` takes strings, each of which is a row. A string with a line feed in it gives one
# row of its own; but the first field of the next string is null if it is quoted. The parser is used
# for one string after the other, and keeps what it did not read of the last one. `from_csv` over
# the same strings reads all of them.
#
# Guess before the run: each string gives the same row, whatever the string before it was.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyspark==4.3.0'
cat >"$work/run.py" <<'PY'
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.log.level", "ERROR")
    .getOrCreate()
)
for first in ("x,y", "x\ny"):
    strings = [first, '"42","29"', '"5","6"']
    lines = spark.sparkContext.parallelize(strings, 1)
    read = spark.read.schema("a INT, b INT").csv(lines).collect()
    frame = spark.createDataFrame([(each,) for each in strings], "v STRING").coalesce(1)
    parsed = frame.select(F.from_csv("v", "a INT, b INT").alias("s")).select("s.*").collect()
    print(f"after {first!r}: read.csv {[tuple(row) for row in read[1:]]}", end=", ")
    print(f"from_csv {[tuple(row) for row in parsed[1:]]}")
PY
expected="after 'x,y': read.csv [(42, 29), (5, 6)], from_csv [(42, 29), (5, 6)]
after 'x\\ny': read.csv [(None, 29), (5, 6)], from_csv [(42, 29), (5, 6)]"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
