#!/usr/bin/env bash
# Spark 4.3.0 with master local[1]: each stage of generated code is compiled twice.
#
# Spark compiles a stage on the driver, to see whether its code is too large, and a task asks for
# the same code again. Both are in one process, and the same text is kept. But since 4.3 what is
# kept is found by the class loader of the thread, too, and the tasks of a driver have one of their
# own. So the second compilation, of tens of milliseconds in a process that has just begun, finds
# nothing, and makes the same class again. Spark 4.0.1 compiles it once.
#
# Guess before the run: one compilation for one stage, as in 4.0.1.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/run.py" <<'PY'
import sys

import pyspark
from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .config("spark.log.level", "ERROR")
    .getOrCreate()
)
compiled = spark._jvm.org.apache.spark.metrics.source.CodegenMetrics.METRIC_COMPILATION_TIME()
before = compiled.getCount()
query = spark.range(0, 5, 1, 1).selectExpr("id * 7919 + 20261128 AS x")
rows = query._jdf.queryExecution().toRdd().count()
print(f"{pyspark.__version__}: {rows} rows, {compiled.getCount() - before} compilations")
spark.stop()
PY
expected='4.0.1: 5 rows, 1 compilations
4.3.0: 5 rows, 2 compilations'
seen=""
for version in 4.0.1 4.3.0; do
  python3 -m venv "$work/$version"
  "$work/$version/bin/pip" install -q --disable-pip-version-check "pyspark==$version"
  line=$("$work/$version/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
  seen="$seen${seen:+$'\n'}$line"
done
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
