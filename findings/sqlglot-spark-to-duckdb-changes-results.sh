#!/usr/bin/env bash
# sqlglot 30.30.0: five texts of Spark that run in DuckDB, and give another result.
#
# sqlglot says what it cannot translate: a warning, or with unsupported_level=RAISE an error, as for
# `last(a, true)`. It takes these for the same in both: the number of a Sunday; `datediff` by MONTH,
# which in Spark counts full months, in DuckDB the turns of the month; $1 in a replacement, which
# DuckDB writes \1; milliseconds in a format; and null in a list from which another value is removed.
#
# Guess before the run: what is not the same in DuckDB is rewritten, or refused under RAISE.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'sqlglot==30.30.0' 'duckdb==2.0.1' 'pyspark==4.3.0'
cat >"$work/run.py" <<'PY'
import duckdb
import sqlglot
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
for text in (
    "SELECT dayofweek(DATE'2024-12-29')",
    "SELECT datediff(MONTH, DATE'2024-01-31', DATE'2024-02-29')",
    "SELECT regexp_replace('key=value', '(.*)=(.*)', '$2 $1')",
    "SELECT date_format(TIMESTAMP'2024-12-30 05:06:07.089', 'HH:mm:ss.SSS')",
    "SELECT array_remove(array(1, NULL, 2), 1)",
):
    level = sqlglot.ErrorLevel.RAISE
    other = sqlglot.transpile(text, read="spark", write="duckdb", unsupported_level=level)[0]
    here, there = spark.sql(text).collect()[0], duckdb.sql(other).fetchall()[0]
    print(f"{text}: Spark {list(here)}, DuckDB {list(there)}")
PY
expected="SELECT dayofweek(DATE'2024-12-29'): Spark [1], DuckDB [0]
SELECT datediff(MONTH, DATE'2024-01-31', DATE'2024-02-29'): Spark [0], DuckDB [1]
SELECT regexp_replace('key=value', '(.*)=(.*)', '\$2 \$1'): Spark ['value key'], DuckDB ['\$2 \$1']
SELECT date_format(TIMESTAMP'2024-12-30 05:06:07.089', 'HH:mm:ss.SSS'): Spark ['05:06:07.089'], DuckDB ['05:06:07.SSS']
SELECT array_remove(array(1, NULL, 2), 1): Spark [[None, 2]], DuckDB [[2]]"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
