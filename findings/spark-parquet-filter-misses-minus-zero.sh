#!/usr/bin/env bash
# Spark 4.3.0: WHERE k = 0 does not find -0.0 in a Parquet file that Spark wrote.
#
# In Spark's SQL -0.0 equals 0.0, and is not less. Spark hands the filter to its Parquet reader as
# well, which looks the number up in the dictionary of a row group, bit by bit. If -0.0 is the only
# zero there, the reader takes `k = 0`, `k >= 0` and `k IN (0, 5)` for never true, and skips the row
# group with all its rows. Without a dictionary, or with the filter kept from the reader, the rows
# are found. This holds for files of other writers, too: most write dictionaries.
#
# Guess before the run: the same query gives the same rows however a file is encoded.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyspark==4.3.0'
cat >"$work/run.py" <<'PY'
import sys

from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.log.level", "ERROR")
    .getOrCreate()
)
for dictionary in ("true", "false"):
    folder = f"{sys.argv[1]}/{dictionary}"
    rows = spark.sql("SELECT -0.0D AS k, 1 AS v UNION ALL SELECT -0.0D, 2").coalesce(1)
    rows.write.option("parquet.enable.dictionary", dictionary).parquet(folder)
    for filter in ("k = 0", "k >= 0", "k IN (0D, 5D)", "k <= 0"):
        for pushed in ("true", "false"):
            spark.conf.set("spark.sql.parquet.filterPushdown", pushed)
            count = spark.read.parquet(folder).where(filter).count()
            print(f"dictionary {dictionary}, {filter}, pushed {pushed}: {count} rows")
PY
expected='dictionary true, k = 0, pushed true: 0 rows
dictionary true, k = 0, pushed false: 2 rows
dictionary true, k >= 0, pushed true: 0 rows
dictionary true, k >= 0, pushed false: 2 rows
dictionary true, k IN (0D, 5D), pushed true: 0 rows
dictionary true, k IN (0D, 5D), pushed false: 2 rows
dictionary true, k <= 0, pushed true: 2 rows
dictionary true, k <= 0, pushed false: 2 rows
dictionary false, k = 0, pushed true: 2 rows
dictionary false, k = 0, pushed false: 2 rows
dictionary false, k >= 0, pushed true: 2 rows
dictionary false, k >= 0, pushed false: 2 rows
dictionary false, k IN (0D, 5D), pushed true: 2 rows
dictionary false, k IN (0D, 5D), pushed false: 2 rows
dictionary false, k <= 0, pushed true: 2 rows
dictionary false, k <= 0, pushed false: 2 rows'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
