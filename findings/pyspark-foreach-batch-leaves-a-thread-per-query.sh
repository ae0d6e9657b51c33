#!/usr/bin/env bash
# PySpark 4.3.0: each streaming query with foreachBatch leaves a thread and a socket behind in the Python process.
#
# Spark calls the function from the query's thread. With pinned threads, the default since 3.2, py4j keeps a connection
# for each thread of the JVM that has ever called Python, and Python serves each connection by a thread of its own.
# The query's thread ends with the query; nothing closes its connection, and a collection of garbage in the JVM does
# not either, for a list of connections still holds it. A program that starts a query with availableNow=True every
# minute has 1,440 threads and sockets more each day. With PYSPARK_PIN_THREAD=false connections are shared, and the
# counts stay.
#
# Guess before the run: what a query needed is given back when it has ended.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyspark==4.3.0'
cat >"$work/run.py" <<'PY'
import os
import sys
import threading

from pyspark.sql import SparkSession

work = sys.argv[1]
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")
spark.range(3).write.mode("overwrite").parquet(f"{work}/rows")


def counts(first: int, last: int) -> tuple[int, int]:
    for number in range(first, last):
        query = (
            spark.readStream.schema("id long")
            .parquet(f"{work}/rows")
            .writeStream.trigger(availableNow=True)
            .option("checkpointLocation", f"{work}/{os.getpid()}-{number}")
            .foreachBatch(lambda rows, _: None)
            .start()
        )
        query.awaitTermination()
        assert not query.isActive
    spark._jvm.java.lang.System.gc()
    return threading.active_count(), len(os.listdir("/proc/self/fd"))


before = counts(0, 2)
after = counts(2, 12)
pinned = os.environ.get("PYSPARK_PIN_THREAD", "true")
threads, sockets = after[0] - before[0], after[1] - before[1]
assert threads <= 12 and sockets <= 14, (threads, sockets)  # py4j itself has one more now and then
print(f"pinned {pinned}: ten queries left {min(threads, 10)} threads", end="")
print(f" and {min(sockets, 10)} files or sockets")
spark.stop()
PY
run() { "$work/venv/bin/python" "$work/run.py" "$work" 2>/dev/null; }
found=$(run; PYSPARK_PIN_THREAD=false run)
expected='pinned true: ten queries left 10 threads and 10 files or sockets
pinned false: ten queries left 0 threads and 0 files or sockets'
echo "$found"
[ "$found" = "$expected" ] || { echo "no longer as described; expected:"; echo "$expected"; exit 1; }
