#!/usr/bin/env bash
# Spark 4.3.0: hll_sketch_agg and theta_sketch_agg leave the empty text out of distinct counts.
#
# Both sketches count values, and null is none. The library under them also takes a text of no
# characters for nothing to count, and so do the aggregates: a column of '' alone has 0 different
# values. COUNT(DISTINCT) and approx_count_distinct, another sketch of Spark, count it. The same
# library for Python, datasketches 5.2.0, leaves it out, too. For few values sketches are exact, so
# that a test on small data shows an error of one, and it is no estimate.
#
# Guess before the run: '' is a value, as everywhere in SQL.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyspark==4.3.0' 'datasketches==5.2.0'
cat >"$work/run.py" <<'PY'
import datasketches
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
for values in (["", "a", "b"], ["", ""], ["x"]):
    rows = spark.createDataFrame([(value,) for value in values], "c string")
    found = rows.selectExpr(
        "hll_sketch_estimate(hll_sketch_agg(c)) AS hll",
        "theta_sketch_estimate(theta_sketch_agg(c)) AS theta",
        "approx_count_distinct(c) AS approximate",
        "count(DISTINCT c) AS exact",
    ).collect()[0]
    sketch = datasketches.hll_sketch(12)
    for value in values:
        sketch.update(value)
    print(f"{values}: {found.asDict()}, in Python {round(sketch.get_estimate())}")
PY
expected="['', 'a', 'b']: {'hll': 2, 'theta': 2, 'approximate': 3, 'exact': 3}, in Python 2
['', '']: {'hll': 0, 'theta': 0, 'approximate': 1, 'exact': 1}, in Python 0
['x']: {'hll': 1, 'theta': 1, 'approximate': 1, 'exact': 1}, in Python 1"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
