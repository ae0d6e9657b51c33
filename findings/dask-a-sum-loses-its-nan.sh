#!/usr/bin/env bash
# dask 2026.8.0: the sum of infinity, minus infinity and 5 is 0, or 5, and cumsum comes back from NaN.
#
# The sum of both infinities is NaN, in pandas too. dask sums the partitions, and then their sums:
# the second time it takes the NaN for a value that is missing. So the sum, and the mean with it,
# goes by how the rows are divided: 0 of one partition, 5 of two, and NaN if no partition has
# both. The product of 0 and infinity becomes 1. A running sum that has become NaN in one partition
# begins at an earlier value in the next.
#
# Guess before the run: NaN, in any partition.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'dask[dataframe]==2026.8.0' 'pandas==2.3.3' 'pyarrow==25.0.1'
cat >"$work/run.py" <<'PY'
from math import inf

import dask.dataframe as dd
import pandas as pd

for values in ([inf, -inf, 5.0], [5.0, inf, -inf, 1.0], [2.0, 0.0, inf]):
    column = pd.Series(values)
    print(f"{values}: pandas sum {column.sum()}, prod {column.prod()}, cumsum {column.cumsum().tolist()}")
    for partitions in (1, 2):
        lazy = dd.from_pandas(column, npartitions=partitions)
        sum, mean, prod = (float(getattr(lazy, name)().compute()) for name in ("sum", "mean", "prod"))
        print(f"  {partitions}: sum {sum}, mean {mean:.2f}, prod {prod}, cumsum {lazy.cumsum().compute().tolist()}")
PY
expected='[inf, -inf, 5.0]: pandas sum nan, prod -inf, cumsum [inf, nan, nan]
  1: sum 0.0, mean 0.00, prod -inf, cumsum [inf, nan, nan]
  2: sum 5.0, mean 1.67, prod -inf, cumsum [inf, nan, inf]
[5.0, inf, -inf, 1.0]: pandas sum nan, prod -inf, cumsum [5.0, inf, nan, nan]
  1: sum 0.0, mean 0.00, prod -inf, cumsum [5.0, inf, nan, nan]
  2: sum nan, mean nan, prod -inf, cumsum [5.0, inf, nan, nan]
[2.0, 0.0, inf]: pandas sum inf, prod nan, cumsum [2.0, 2.0, inf]
  1: sum inf, mean inf, prod 1.0, cumsum [2.0, 2.0, inf]
  2: sum inf, mean inf, prod nan, cumsum [2.0, 2.0, inf]'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
