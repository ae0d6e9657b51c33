#!/usr/bin/env bash
# arcticdb 6.28.2: the mean of 2020-01-01 and a missing time is a day of 1848, and counted are both.
#
# A QueryBuilder groups rows in the store, with the functions that pandas has. A missing number is left out by all of
# them. A missing time is left out by max alone: it is the least integer for the mean, halfway to the year 1677, it is
# the minimum, and it is counted. isnull() finds it, and a comparison with a day of 1900 does not. resample(), the
# other way to groups, leaves it out.
#
# Guess before the run: 2020-01-01 and a count of 1, as in pandas.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'arcticdb==6.28.2' 'pandas==2.3.3'
cat >"$work/run.py" <<'PY'
import sys

import arcticdb
import pandas as pd

store = arcticdb.Arctic(f"lmdb://{sys.argv[1]}/store?map_size=50MB").get_library("l", create_if_missing=True)
times = pd.to_datetime(["2020-01-01", None, "2020-01-03", "2020-01-05"])
rows = pd.DataFrame({"k": ["a", "a", "b", "b"], "t": times, "f": [1.0, None, 3.0, 5.0]})
rows.index = pd.to_datetime(["2024-01-01 00:00", "2024-01-01 00:20", "2024-01-01 01:00", "2024-01-01 01:20"])
store.write("rows", rows)


def show(name, frame, of):
    for column in ("t", "f"):
        values = ", ".join(str(value) for value in frame[column])
        print(f"  {name} {of} of {column}: {values}")


builder = arcticdb.QueryBuilder
for of in ("mean", "min", "max", "count"):
    print(of)
    aggregate = {"t": of, "f": of}
    show("arcticdb,", store.read("rows", query_builder=builder().groupby("k").agg(aggregate)).data.sort_index(), of)
    show("arcticdb, hourly", store.read("rows", query_builder=builder().resample("1h").agg(aggregate)).data, of)
    show("pandas,", rows.groupby("k").agg(aggregate), of)
query = builder()
missing = store.read("rows", query_builder=query[query["t"].isnull()]).data
query = builder()
old = store.read("rows", query_builder=query[query["t"] < pd.Timestamp("1900-01-01")]).data
print(f"missing times {len(missing)}, times before 1900 {len(old)}")
PY
expected='mean
  arcticdb, mean of t: 1848-11-11 00:06:21.572612096, 2020-01-04 00:00:00
  arcticdb, mean of f: 1.0, 4.0
  arcticdb, hourly mean of t: 2020-01-01 00:00:00, 2020-01-04 00:00:00
  arcticdb, hourly mean of f: 1.0, 4.0
  pandas, mean of t: 2020-01-01 00:00:00, 2020-01-04 00:00:00
  pandas, mean of f: 1.0, 4.0
min
  arcticdb, min of t: NaT, 2020-01-03 00:00:00
  arcticdb, min of f: 1.0, 3.0
  arcticdb, hourly min of t: 2020-01-01 00:00:00, 2020-01-03 00:00:00
  arcticdb, hourly min of f: 1.0, 3.0
  pandas, min of t: 2020-01-01 00:00:00, 2020-01-03 00:00:00
  pandas, min of f: 1.0, 3.0
max
  arcticdb, max of t: 2020-01-01 00:00:00, 2020-01-05 00:00:00
  arcticdb, max of f: 1.0, 5.0
  arcticdb, hourly max of t: 2020-01-01 00:00:00, 2020-01-05 00:00:00
  arcticdb, hourly max of f: 1.0, 5.0
  pandas, max of t: 2020-01-01 00:00:00, 2020-01-05 00:00:00
  pandas, max of f: 1.0, 5.0
count
  arcticdb, count of t: 2, 2
  arcticdb, count of f: 1, 2
  arcticdb, hourly count of t: 1, 2
  arcticdb, hourly count of f: 1, 2
  pandas, count of t: 1, 2
  pandas, count of f: 1, 2
missing times 1, times before 1900 0'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
