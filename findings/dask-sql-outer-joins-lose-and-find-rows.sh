#!/usr/bin/env bash
# dask-sql 2024.5.0: `LEFT JOIN ... ON t.k = u.g AND t.v > 1` loses a row of t, and FULL JOIN pairs null with null.
#
# A left join has each row of its left side, at least once. With a condition on the left side in ON, dask-sql
# filters after the join: a row whose partner fails the condition is gone. A row without any partner is kept only if
# it passes the condition, too. A condition on the right side is right.
#
# Inner, left and right joins pair null with nothing, as SQL has it. FULL JOIN pairs null with null, so it has
# matches that the inner join does not have.
#
# Guess before the run: each row of t, as with a condition on u.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'dask-sql==2024.5.0' \
  'dask[dataframe]==2024.4.1' 'pandas==2.2.3' 'numpy==2.2.6' 'pyarrow==26.0.1' 'setuptools==79.0.1'
cat >"$work/run.py" <<'PY'
import warnings

import pandas as pd
from dask import dataframe as dd

warnings.filterwarnings("ignore")
from dask_sql import Context  # noqa: E402

t = pd.DataFrame({"id": [1, 2, 3, 4, 5], "k": ["a", "a", None, "b", None], "v": [1, 2, 4, 8, 16]})
u = pd.DataFrame({"g": ["a", None, "a"], "w": [1, 2, 3]})
context = Context()
context.create_table("t", dd.from_pandas(t, npartitions=2))
context.create_table("u", dd.from_pandas(u, npartitions=1))


def show(value):
    return "null" if pd.isna(value) else str(int(value)) if isinstance(value, float) else str(value)


def run(text):
    rows = context.sql(text).compute().itertuples(index=False, name=None)
    print(f"{text}: {', '.join(sorted(' '.join(map(show, row)) for row in rows)) or 'no row'}")


for join in ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"):
    run(f"SELECT t.id, u.w FROM t {join} u ON t.k = u.g")
for condition in ("u.w > 1", "t.v > 1", "t.v > 99", "t.v < u.w"):
    run(f"SELECT t.id, u.w FROM t LEFT JOIN u ON t.k = u.g AND {condition}")
PY
expected='SELECT t.id, u.w FROM t JOIN u ON t.k = u.g: 1 1, 1 3, 2 1, 2 3
SELECT t.id, u.w FROM t LEFT JOIN u ON t.k = u.g: 1 1, 1 3, 2 1, 2 3, 3 null, 4 null, 5 null
SELECT t.id, u.w FROM t RIGHT JOIN u ON t.k = u.g: 1 1, 1 3, 2 1, 2 3, null 2
SELECT t.id, u.w FROM t FULL JOIN u ON t.k = u.g: 1 1, 1 3, 2 1, 2 3, 3 2, 4 null, 5 2
SELECT t.id, u.w FROM t LEFT JOIN u ON t.k = u.g AND u.w > 1: 1 3, 2 3, 3 null, 4 null, 5 null
SELECT t.id, u.w FROM t LEFT JOIN u ON t.k = u.g AND t.v > 1: 2 1, 2 3, 3 null, 4 null, 5 null
SELECT t.id, u.w FROM t LEFT JOIN u ON t.k = u.g AND t.v > 99: no row
SELECT t.id, u.w FROM t LEFT JOIN u ON t.k = u.g AND t.v < u.w: 1 3, 2 3'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
