#!/usr/bin/env bash
# pysail 0.7.2, a Spark without a JVM: 2147483647 + 1 is -2147483648, also in ANSI mode.
#
# Spark 4 is in ANSI mode unless told otherwise, and there a sum that does not fit raises
# ARITHMETIC_OVERFLOW. Sail says that spark.sql.ansi.enabled is true, and divides by zero and casts
# texts as Spark does in that mode, with errors. Sums, differences, products and SUM wrap to the
# other sign without one. So a balance that grows past its type becomes negative. try_add, which
# gives null, does notice the overflow.
#
# Guess before the run: an error, as for 1 / 0.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pysail==0.7.2' 'pyspark-client==4.1.1'
cat >"$work/run.py" <<'PY'
import os

from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession

server = SparkConnectServer(ip="127.0.0.1", port=0)
server.start(background=True)
port = server.listening_address[1]
spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
print("spark.sql.ansi.enabled:", spark.conf.get("spark.sql.ansi.enabled"))
for text in (
    "SELECT 2147483647 + 1 AS v",
    "SELECT 9223372036854775807 + 1 AS v",
    "SELECT CAST(100 AS TINYINT) * CAST(2 AS TINYINT) AS v",
    "SELECT sum(x) AS v FROM VALUES (9223372036854775807), (1) AS t(x)",
    "SELECT try_add(2147483647, 1) AS v",
    "SELECT 1 / 0 AS v",
    "SELECT CAST('abc' AS INT) AS v",
    "SELECT CAST(300 AS TINYINT) AS v",
):
    try:
        print(f"{text}: {spark.sql(text).collect()[0]['v']}", flush=True)
    except Exception as error:
        print(f"{text}: {type(error).__name__}", flush=True)
os._exit(0)
PY
expected="spark.sql.ansi.enabled: true
SELECT 2147483647 + 1 AS v: -2147483648
SELECT 9223372036854775807 + 1 AS v: -9223372036854775808
SELECT CAST(100 AS TINYINT) * CAST(2 AS TINYINT) AS v: -56
SELECT sum(x) AS v FROM VALUES (9223372036854775807), (1) AS t(x): -9223372036854775808
SELECT try_add(2147483647, 1) AS v: None
SELECT 1 / 0 AS v: ArithmeticException
SELECT CAST('abc' AS INT) AS v: NumberFormatException
SELECT CAST(300 AS TINYINT) AS v: NumberFormatException"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
