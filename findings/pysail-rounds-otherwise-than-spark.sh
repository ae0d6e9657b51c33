#!/usr/bin/env bash
# pysail 0.7.2, a Spark without a JVM: bround and rint round halves away from zero, avg cuts.
#
# Spark has two functions for rounding halves to the even neighbour, as banks do, beside round. In
# Sail rint is round, and bround is round for decimals: rint(-0.5D) is -1, bround(2.5) is 3. bround
# of a double is as in Spark. The average of decimals, which Spark rounds, is cut: that of 1, 2 and
# 2 is 1.666666. A cast of a double to a decimal goes by the binary value, so 1.005 becomes 1.00,
# and Spark's 1.01. Seconds before 1970 are cut upwards. Spark's values below are of 4.3.0; ceil,
# floor, round and casts of decimals agree.
#
# Guess before the run: a function named after its way of rounding rounds that way.
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
spark.conf.set("spark.sql.session.timeZone", "UTC")
for text, by_spark in (
    ("bround(2.5D)", "2.0"),
    ("bround(2.5)", "2"),
    ("rint(2.5D)", "2.0"),
    ("rint(-0.5D)", "-0.0"),
    ("(SELECT avg(x) FROM VALUES (1.00), (2.00), (2.00) AS v(x))", "1.666667"),
    ("CAST(1.005D AS DECIMAL(10, 2))", "1.01"),
    ("unix_seconds(TIMESTAMP'1969-12-31 23:59:59.5Z')", "-1"),
):
    found = spark.sql(f"SELECT {text} AS v").collect()[0]["v"]
    print(f"{text}: Sail {found}, Spark {by_spark}", flush=True)
os._exit(0)
PY
expected="bround(2.5D): Sail 2.0, Spark 2.0
bround(2.5): Sail 3.0, Spark 2
rint(2.5D): Sail 3.0, Spark 2.0
rint(-0.5D): Sail -1.0, Spark -0.0
(SELECT avg(x) FROM VALUES (1.00), (2.00), (2.00) AS v(x)): Sail 1.666666, Spark 1.666667
CAST(1.005D AS DECIMAL(10, 2)): Sail 1.00, Spark 1.01
unix_seconds(TIMESTAMP'1969-12-31 23:59:59.5Z'): Sail 0, Spark -1"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
