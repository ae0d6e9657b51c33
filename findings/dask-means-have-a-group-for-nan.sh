#!/usr/bin/env bash
# dask 2026.8.0: groupby("g").v.mean() has a group for NaN, and .sum(), .count() and .max() have none.
#
# groupby leaves rows out whose key is NaN: dropna is true unless one says otherwise, as in pandas.
# mean, var and std hand an open dropna on as "keep". So a table of sums and one of means of the same
# groups differ in their rows. dropna=True, and agg("mean"), give the groups of the others.
#
# Guess before the run: the groups of pandas, the same for each aggregate.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'dask[dataframe]==2026.8.0' 'pandas==2.3.3' 'pyarrow==25.0.1'
cat >"$work/run.py" <<'PY'
import dask.dataframe as dd
import pandas as pd

rows = pd.DataFrame({"g": [1.0, None, 1.0, None, 2.0], "v": [1, 2, 3, 4, 5]})
lazy = dd.from_pandas(rows, npartitions=1)
for name in ("sum", "count", "max", "mean", "var", "std"):
    found = sorted(getattr(lazy.groupby("g").v, name)().compute().index)
    right = sorted(getattr(rows.groupby("g").v, name)().index)
    print(f"{name}: groups {found}, in pandas {right}")
print(f"mean, dropna=True: groups {sorted(lazy.groupby('g', dropna=True).v.mean().compute().index)}")
print(f"agg('mean'): groups {sorted(lazy.groupby('g').v.agg('mean').compute().index)}")
print(f"mean: {lazy.groupby('g').v.mean().compute().tolist()}")
PY
expected="sum: groups [1.0, 2.0], in pandas [1.0, 2.0]
count: groups [1.0, 2.0], in pandas [1.0, 2.0]
max: groups [1.0, 2.0], in pandas [1.0, 2.0]
mean: groups [1.0, 2.0, nan], in pandas [1.0, 2.0]
var: groups [1.0, 2.0, nan], in pandas [1.0, 2.0]
std: groups [1.0, 2.0, nan], in pandas [1.0, 2.0]
mean, dropna=True: groups [1.0, 2.0]
agg('mean'): groups [1.0, 2.0]
mean: [2.0, 5.0, 3.0]"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
