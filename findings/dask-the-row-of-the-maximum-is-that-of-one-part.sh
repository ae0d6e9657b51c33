#!/usr/bin/env bash
# dask 2026.8.0: groupby("g").v.idxmax() gives row 1 for 1, 5 and 9, in two partitions; the 9 is row 4.
#
# idxmax gives the row of a group's largest value. With one partition that is right. With more, each
# partition finds its own, and of these dask takes the first that comes, whatever the values are. So
# the result depends on how the rows are divided, and idxmin errs like that too. max and min of
# the same groups are right, and so is idxmax without groups.
#
# Guess before the run: the index that pandas gives, however many partitions there are.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'dask[dataframe]==2026.8.0' 'pandas==2.3.3' 'pyarrow==25.0.1'
cat >"$work/run.py" <<'PY'
import dask.dataframe as dd
import pandas as pd

rows = pd.DataFrame({"g": ["a", "a", "b", "b", "a", "b"], "v": [1, 5, 7, 2, 9, 3]})
print(f"pandas: idxmax {rows.groupby('g').v.idxmax().to_dict()}", end=", ")
print(f"idxmin {rows.groupby('g').v.idxmin().to_dict()}")
for partitions in (1, 2, 3, 6):
    grouped = dd.from_pandas(rows, npartitions=partitions).groupby("g").v
    names = ("idxmax", "idxmin", "max", "min")
    found = (dict(sorted(getattr(grouped, name)().compute().items())) for name in names)
    print(f"{partitions}: {', '.join(f'{name} {value}' for name, value in zip(names, found))}")
both = dd.from_pandas(rows, npartitions=3).v
print(f"without groups: idxmax {both.idxmax().compute()}, idxmin {both.idxmin().compute()}")
PY
expected="pandas: idxmax {'a': 4, 'b': 2}, idxmin {'a': 0, 'b': 3}
1: idxmax {'a': 4, 'b': 2}, idxmin {'a': 0, 'b': 3}, max {'a': 9, 'b': 7}, min {'a': 1, 'b': 2}
2: idxmax {'a': 1, 'b': 2}, idxmin {'a': 0, 'b': 2}, max {'a': 9, 'b': 7}, min {'a': 1, 'b': 2}
3: idxmax {'a': 1, 'b': 2}, idxmin {'a': 0, 'b': 3}, max {'a': 9, 'b': 7}, min {'a': 1, 'b': 2}
6: idxmax {'a': 0, 'b': 2}, idxmin {'a': 0, 'b': 2}, max {'a': 9, 'b': 7}, min {'a': 1, 'b': 2}
without groups: idxmax 4, idxmin 0"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
