#!/usr/bin/env bash
# pyspark.pandas 4.3.0: groupby("k").size() has a group of null, and count() of the same groups has not.
#
# groupby() has dropna=True, by which rows without a key are in no group. The aggregates follow it, and
# size(), idxmax() and head() do not: they have a group more, so a mean made of sum() by size() has other
# rows than mean(). cumsum(), cumcount(), rank(), shift() and ffill() compute among the rows without
# a key as well, where pandas gives no value, and so fill a gap from a row that has nothing to do with it.
#
# Guess before the run: the groups of pandas for each method.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyspark==4.3.0' 'pandas==2.3.3' 'pyarrow==25.0.1' 'numpy==2.4.6'
cat >"$work/run.py" <<'PY'
import logging
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

import pandas
from pyspark.sql import SparkSession

builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()

import pyspark.pandas

ROWS = {"k": ["a", "b", None, "b", None], "v": [5.0, 7.0, 1.0, None, None], "n": [1, 2, 3, 4, 5]}


def shown(column):
    column = column.to_pandas() if hasattr(column, "to_pandas") else column
    pairs = ((str(label), "-" if value != value else f"{value:.0f}") for label, value in column.items())
    return ", ".join(" ".join(pair) for pair in sorted(pairs))


METHODS = {
    "count": lambda groups: groups.n.count(),
    "sum": lambda groups: groups.n.sum(),
    "size": lambda groups: groups.size(),
    "idxmax": lambda groups: groups.n.idxmax(),
    "head": lambda groups: groups.head(1).n,
    "cumsum": lambda groups: groups.n.cumsum(),
    "shift": lambda groups: groups.n.shift(1),
    "ffill": lambda groups: groups.v.ffill(),
}
plain = pandas.DataFrame(ROWS)
frame = pyspark.pandas.DataFrame(plain)
for name, method in METHODS.items():
    print(f"{name}: pandas {shown(method(plain.groupby('k')))}; Spark {shown(method(frame.groupby('k')))}")
spark.stop()
PY
expected='count: pandas a 1, b 2; Spark a 1, b 2
sum: pandas a 1, b 6; Spark a 1, b 6
size: pandas a 1, b 2; Spark None 2, a 1, b 2
idxmax: pandas a 0, b 3; Spark None 4, a 0, b 3
head: pandas 0 1, 1 2; Spark 0 1, 1 2, 2 3
cumsum: pandas 0 1, 1 2, 2 -, 3 6, 4 -; Spark 0 1, 1 2, 2 3, 3 6, 4 8
shift: pandas 0 -, 1 -, 2 -, 3 2, 4 -; Spark 0 -, 1 -, 2 -, 3 2, 4 3
ffill: pandas 0 5, 1 7, 2 -, 3 7, 4 -; Spark 0 5, 1 7, 2 1, 3 7, 4 1'
seen=$(PYARROW_IGNORE_TIMEZONE=1 "$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
