#!/usr/bin/env bash
# deltalake 1.6.6 writes, Delta 4.0.1 for Spark reads: a filter on a long decimal misses its row.
#
# deltalake turns the bounds of a decimal column into doubles, so a bound of 17 digits or more is
# rounded, here downwards: a file with 99999999999999999.99 gets the maximum 9.999999999999998e+16.
# Spark takes the bound for exact, skips the file, and returns no row for the very value that is in
# it. Without a filter, or with one that Spark can not compare with bounds, the row is there.
#
# Guess before the run: bounds are exact, or rounded outwards, as those of times and texts are.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'deltalake==1.6.6' 'pyarrow==22.0.0' 'pyspark==4.0.1'
for jar in io.delta:delta-spark_2.13:4.0.1 io.delta:delta-storage:4.0.1 org.antlr:antlr4-runtime:4.13.1; do
  mvn -q dependency:copy -Dartifact="$jar" -DoutputDirectory="$work/jars" >/dev/null
done
cat >"$work/run.py" <<'PY'
import glob
import json
import sys
from decimal import Decimal

import pyarrow as pa
from deltalake import write_deltalake
from pyspark.sql import SparkSession

folder = f"{sys.argv[1]}/table"
rows = pa.array([Decimal("1.00"), Decimal("99999999999999999.99")], pa.decimal128(19, 2))
write_deltalake(folder, pa.table({"k": rows}))
with open(f"{folder}/_delta_log/00000000000000000000.json") as log:
    stats = next(a["add"]["stats"] for a in map(json.loads, log) if "add" in a)
print("maximum in the log:", json.loads(stats)["maxValues"]["k"])
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.log.level", "ERROR")
    .config("spark.jars", ",".join(glob.glob(f"{sys.argv[1]}/jars/*.jar")))
    .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .config("spark.databricks.delta.snapshotPartitions", "1")
    .getOrCreate()
)
table = spark.read.format("delta").load(folder)
for filter in ("k = 99999999999999999.99", "k > 99999999999999998.00", "k > 2"):
    compared = table.selectExpr(f"{filter} AS found").collect()
    print(f"{filter}: {table.where(filter).count()} found, {sum(r.found for r in compared)} true")
PY
expected='maximum in the log: 9.999999999999998e+16
k = 99999999999999999.99: 0 found, 1 true
k > 99999999999999998.00: 0 found, 1 true
k > 2: 1 found, 1 true'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
