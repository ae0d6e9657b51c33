#!/usr/bin/env bash
# dask-sql 2024.5.0: count(*) of the group of null is 0, and its sum is that of its two rows.
#
# GROUP BY keeps a group of null, and sum, avg, min and count(v) are right there. count(*) counts the group's key,
# so it says 0, HAVING count(*) > 1 drops the group, and the counts do not add up to that of the table. count(1) is
# right. A count with FILTER is null, where SQL has a 0, if no row of the group passes; and without another
# aggregate beside it the group is missing. Of no rows at all, count(*) is no row.
#
# Guess before the run: 2, because the other aggregates of the group are those of its two rows.
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


run("SELECT k, count(*) AS c, count(v) AS d, sum(v) AS s FROM t GROUP BY k")
run("SELECT k, count(1) AS c FROM t GROUP BY k")
run("SELECT count(*) AS c FROM t")
run("SELECT k, sum(v) AS s FROM t GROUP BY k HAVING count(*) > 1")
run("SELECT k, count(*) AS c, count(*) FILTER (WHERE v > 4) AS d FROM t GROUP BY k")
run("SELECT k, count(*) FILTER (WHERE v > 4) AS d FROM t GROUP BY k")
run("SELECT count(*) AS c FROM t WHERE v > 99")
PY
expected='SELECT k, count(*) AS c, count(v) AS d, sum(v) AS s FROM t GROUP BY k: a 2 2 3, b 1 1 8, null 0 2 20
SELECT k, count(1) AS c FROM t GROUP BY k: a 2, b 1, null 2
SELECT count(*) AS c FROM t: 5
SELECT k, sum(v) AS s FROM t GROUP BY k HAVING count(*) > 1: a 3
SELECT k, count(*) AS c, count(*) FILTER (WHERE v > 4) AS d FROM t GROUP BY k: a 2 null, b 1 1, null 0 0
SELECT k, count(*) FILTER (WHERE v > 4) AS d FROM t GROUP BY k: b 1, null 0
SELECT count(*) AS c FROM t WHERE v > 99: no row'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
