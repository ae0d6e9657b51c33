#!/usr/bin/env bash
# Spark 4.3.0: a filter decides which value a line of JSON has whose name comes twice, and in two
# modes it loses such a line or fails on it, though the line meets the filter.
#
# Without a filter the last value of a name counts. With one, Spark's reader asks it after the first
# value, so that {"n": 5, "n": -6} is dropped by n < 0. If the first value meets the filter, the
# second one breaks a check of how often the filter was asked. That counts as a malformed record:
# gone with DROPMALFORMED, an error with FAILFAST. Whether filters are pushed down changes results.
#
# Guess before the run: the rows are those of the same filter after reading.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyspark==4.3.0'
cat >"$work/run.py" <<'PY'
import pathlib
import sys

from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.log.level", "OFF")
    .getOrCreate()
)
lines = ('{"n": 5, "n": -6}', '{"n": -5, "n": -6}', '{"n": -7}')
path = pathlib.Path(sys.argv[1]) / "lines.json"
path.write_text("\n".join(lines) + "\n")
for mode in ("PERMISSIVE", "DROPMALFORMED", "FAILFAST"):
    for pushed in ("false", "true"):
        spark.conf.set("spark.sql.json.filterPushdown.enabled", pushed)
        frame = spark.read.schema("n INT").option("mode", mode).json(str(path)).where("n < 0")
        try:
            found = [row.n for row in frame.collect()]
        except Exception as e:
            found = type(e).__name__
        print(f"{mode}, pushed down: {pushed}: {found}")
PY
expected='PERMISSIVE, pushed down: false: [-6, -6, -7]
PERMISSIVE, pushed down: true: [-6, -7]
DROPMALFORMED, pushed down: false: [-6, -6, -7]
DROPMALFORMED, pushed down: true: [-7]
FAILFAST, pushed down: false: [-6, -6, -7]
FAILFAST, pushed down: true: Py4JJavaError'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
