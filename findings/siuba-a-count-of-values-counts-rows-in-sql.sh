#!/usr/bin/env bash
# siuba 0.4.4: _.v.count() of 1, 3 and three missing values is 2 with pandas and 5 with SQL, beside one mean.
#
# siuba writes one pipeline for a DataFrame and for a table of a database. _.v.count() is pandas' number of the values
# that are there. For SQL it becomes count(*), without the column, and is the number of rows: groups without any
# value have a count, and mean times count is no longer the sum in the same row. n(_), which is meant for rows, is the
# same in both. In a mutate() the count over a group is that of the values with SQL as well. A sum of no values is 0
# with pandas and null with SQL, as each of them has it.
#
# Guess before the run: count(v), which leaves null out as pandas does.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check --only-binary pandas,numpy \
  'siuba==0.4.4' 'pandas==2.0.3' 'numpy==1.26.4' 'sqlalchemy==1.4.54'
cat >"$work/run.py" <<'PY'
import warnings

import pandas as pd
import sqlalchemy
from siuba import _, collect, filter, group_by, mutate, select, summarize, ungroup
from siuba.dply.vector import n
from siuba.sql import LazyTbl

warnings.simplefilter("ignore")
rows = pd.DataFrame({"id": [1, 2, 3, 4, 5], "k": ["a", "a", "b", "c", "c"], "v": [1.0, None, 3.0, None, None]})
engine = sqlalchemy.create_engine("sqlite://")
rows.to_sql("t", engine, index=False)
table = LazyTbl(engine, "t")


def shown(found):
    found = pd.DataFrame(collect(found)).astype(object)
    return " ".join(str(tuple(None if pd.isna(value) else value for value in row)) for row in found.values.tolist())


pipelines = {
    "rows, count, sum, mean": lambda t: t >> summarize(rows=n(_), count=_.v.count(), sum=_.v.sum(), mean=_.v.mean()),
    "by k: rows, count, sum": lambda t: t >> group_by(_.k) >> summarize(rows=n(_), count=_.v.count(), sum=_.v.sum()),
    "k with a value": lambda t: t >> group_by(_.k) >> summarize(count=_.v.count()) >> filter(_["count"] > 0) >> select(_.k),
    "id, count of its k": lambda t: t >> group_by(_.k) >> mutate(count=_.v.count()) >> ungroup() >> select(_.id, _["count"]),
}
for name, pipeline in pipelines.items():
    print(f"{name}\n  pandas {shown(pipeline(rows))}\n  SQL    {shown(pipeline(table))}")
PY
expected="rows, count, sum, mean
  pandas (5, 2, 4.0, 2.0)
  SQL    (5, 5, 4.0, 2.0)
by k: rows, count, sum
  pandas ('a', 2, 1, 1.0) ('b', 1, 1, 3.0) ('c', 2, 0, 0.0)
  SQL    ('a', 2, 2, 1.0) ('b', 1, 1, 3.0) ('c', 2, 2, None)
k with a value
  pandas ('a',) ('b',)
  SQL    ('a',) ('b',) ('c',)
id, count of its k
  pandas (1, 1) (2, 1) (3, 1) (4, 0) (5, 0)
  SQL    (1, 1) (2, 1) (3, 1) (4, 0) (5, 0)"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
