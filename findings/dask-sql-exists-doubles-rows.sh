#!/usr/bin/env bash
# dask-sql 2024.5.0: WHERE EXISTS shows a row once for each match, and INTERSECT of one column has two.
#
# EXISTS and IN ask whether there is a match, so a row passes once or not at all. dask-sql joins, and keeps each
# match: counts and sums over the result are too large. INTERSECT gives a row for each pair of equal values, in two
# columns, of which SQL has one row of one column, and another of null. NOT EXISTS is right. EXCEPT keeps null,
# which is in both.
#
# Guess before the run: each row once, because NOT EXISTS is right.
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


for where in (
    "k IN (SELECT g FROM u)",
    "EXISTS (SELECT 1 FROM u WHERE u.g = t.k)",
    "EXISTS (SELECT w FROM u WHERE u.g = t.k AND w > 1)",
    "NOT EXISTS (SELECT 1 FROM u WHERE u.g = t.k)",
):
    run(f"SELECT id FROM t WHERE {where}")
    run(f"SELECT count(id) AS n, sum(v) AS s FROM t WHERE {where}")
run("SELECT k FROM t INTERSECT SELECT g FROM u")
run("SELECT k FROM t WHERE k = 'a' INTERSECT SELECT g FROM u")
run("SELECT k FROM t UNION SELECT g FROM u")
run("SELECT k FROM t EXCEPT SELECT g FROM u")
PY
expected="SELECT id FROM t WHERE k IN (SELECT g FROM u): 1, 1, 2, 2
SELECT count(id) AS n, sum(v) AS s FROM t WHERE k IN (SELECT g FROM u): 4 6
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.g = t.k): 1, 1, 2, 2
SELECT count(id) AS n, sum(v) AS s FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.g = t.k): 4 6
SELECT id FROM t WHERE EXISTS (SELECT w FROM u WHERE u.g = t.k AND w > 1): 1, 2
SELECT count(id) AS n, sum(v) AS s FROM t WHERE EXISTS (SELECT w FROM u WHERE u.g = t.k AND w > 1): 2 3
SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.g = t.k): 3, 4, 5
SELECT count(id) AS n, sum(v) AS s FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.g = t.k): 3 28
SELECT k FROM t INTERSECT SELECT g FROM u: a a, a a
SELECT k FROM t WHERE k = 'a' INTERSECT SELECT g FROM u: a a, a a
SELECT k FROM t UNION SELECT g FROM u: a, b, null
SELECT k FROM t EXCEPT SELECT g FROM u: b, null"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
