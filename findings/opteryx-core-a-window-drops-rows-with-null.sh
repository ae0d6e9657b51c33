#!/usr/bin/env bash
# opteryx-core 0.9.175: `count(*) OVER (PARTITION BY g)` drops the rows whose g is null.
#
# A window function gives a value to each row, and takes rows from none; the rows with a null in
# PARTITION BY are a partition. With ORDER BY in the window opteryx-core has that right. Without it
# count, sum, min and avg lose those rows from the result, also the other columns of it, and with two
# columns in PARTITION BY each row that has a null in one. GROUP BY g keeps the group. last_value
# takes the last row of the partition, whatever the order says; in SQL the frame of a window with ORDER
# BY ends at the current row, as it does here for sum and max.
#
# Guess before the run: five rows in, five rows out.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'opteryx-core==0.9.175' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import os

import opteryx
import pyarrow as pa
import pyarrow.parquet as pq
from opteryx.connectors import DiskConnector

os.makedirs("data/t")
columns = {"i": [1, 2, 3, 4, 5], "g": ["x", "x", None, "y", None], "v": [1, None, 3, 3, None]}
pq.write_table(pa.table(columns), "data/t/t.parquet")
opteryx.register_workspace("data", DiskConnector)
for text in (
    "SELECT i, count(*) OVER (PARTITION BY g) AS r FROM data.t",
    "SELECT i, sum(i) OVER (PARTITION BY g) AS r FROM data.t",
    "SELECT i, sum(i) OVER (PARTITION BY g ORDER BY i) AS r FROM data.t",
    "SELECT i, count(*) OVER (PARTITION BY g, v) AS r FROM data.t",
    "SELECT g AS i, count(*) AS r FROM data.t GROUP BY g",
    "SELECT i, max(i) OVER (ORDER BY i) AS r FROM data.t",
    "SELECT i, last_value(i) OVER (ORDER BY i) AS r FROM data.t",
):
    morsels = opteryx.session().execute_to_morsels(text)
    rows = [row for morsel in morsels for row in morsel.to_arrow().to_pylist()]
    values = sorted(f"{row['i']}:{row['r']}" for row in rows)
    print(f"{text}: {' '.join(values)}")
PY
expected='SELECT i, count(*) OVER (PARTITION BY g) AS r FROM data.t: 1:2 2:2 4:1
SELECT i, sum(i) OVER (PARTITION BY g) AS r FROM data.t: 1:3 2:3 4:4
SELECT i, sum(i) OVER (PARTITION BY g ORDER BY i) AS r FROM data.t: 1:1 2:3 3:3 4:4 5:8
SELECT i, count(*) OVER (PARTITION BY g, v) AS r FROM data.t: 1:1 4:1
SELECT g AS i, count(*) AS r FROM data.t GROUP BY g: None:2 x:2 y:1
SELECT i, max(i) OVER (ORDER BY i) AS r FROM data.t: 1:1 2:2 3:3 4:4 5:5
SELECT i, last_value(i) OVER (ORDER BY i) AS r FROM data.t: 1:5 2:5 3:5 4:5 5:5'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
