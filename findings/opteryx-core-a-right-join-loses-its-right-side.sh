#!/usr/bin/env bash
# opteryx-core 0.9.175: `t RIGHT JOIN u ON k = g AND v = 2` loses rows of u.
#
# A right join keeps each row of the right side, with nulls if it has no partner by the condition.
# opteryx-core filters the joined rows by a condition on the left side, so a row of u that has no
# partner with v = 2 goes. The same as a LEFT JOIN with the sides exchanged is right, and conditions
# that it can not compute are refused with an error. A correlated NOT IN compares a row with those rows
# of the subquery that belong to it; here a row of n whose k is null, which belongs to no row of t,
# leaves nothing of it. NOT EXISTS, asking for the same, has the right rows, and so has IN.
#
# Guess before the run: three rows, as by the left join; 2 and 3.
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

for name, columns in (
    ("t", {"i": [1, 2, 3], "g": ["x", "x", "y"], "v": [1, 2, 1]}),
    ("u", {"k": ["x", "y", "z"], "w": [1, 20, 30]}),
    ("n", {"k": ["x", "y", None], "w": [1, 20, 30]}),
):
    os.makedirs(f"data/{name}")
    pq.write_table(pa.table(columns), f"data/{name}/{name}.parquet")
opteryx.register_workspace("data", DiskConnector)
for text in (
    "SELECT i, w FROM data.t AS t RIGHT JOIN data.u AS u ON g = k",
    "SELECT i, w FROM data.t AS t RIGHT JOIN data.u AS u ON g = k AND v = 2",
    "SELECT i, w FROM data.u AS u LEFT JOIN data.t AS t ON g = k AND v = 2",
    "SELECT i FROM data.t AS t WHERE v NOT IN (SELECT w FROM data.u AS u WHERE u.k = t.g)",
    "SELECT i FROM data.t AS t WHERE v NOT IN (SELECT w FROM data.n AS n WHERE n.k = t.g)",
    "SELECT i FROM data.t AS t WHERE v IN (SELECT w FROM data.n AS n WHERE n.k = t.g)",
    "SELECT i FROM data.t AS t"
    " WHERE NOT EXISTS (SELECT 1 FROM data.n AS n WHERE n.k = t.g AND n.w = t.v)",
):
    morsels = opteryx.session().execute_to_morsels(text)
    rows = [tuple(row.values()) for morsel in morsels for row in morsel.to_arrow().to_pylist()]
    print(f"{text}: {sorted(rows, key=repr)}")
PY
expected='SELECT i, w FROM data.t AS t RIGHT JOIN data.u AS u ON g = k: [(1, 1), (2, 1), (3, 20), (None, 30)]
SELECT i, w FROM data.t AS t RIGHT JOIN data.u AS u ON g = k AND v = 2: [(2, 1)]
SELECT i, w FROM data.u AS u LEFT JOIN data.t AS t ON g = k AND v = 2: [(2, 1), (None, 20), (None, 30)]
SELECT i FROM data.t AS t WHERE v NOT IN (SELECT w FROM data.u AS u WHERE u.k = t.g): [(2,), (3,)]
SELECT i FROM data.t AS t WHERE v NOT IN (SELECT w FROM data.n AS n WHERE n.k = t.g): []
SELECT i FROM data.t AS t WHERE v IN (SELECT w FROM data.n AS n WHERE n.k = t.g): [(1,)]
SELECT i FROM data.t AS t WHERE NOT EXISTS (SELECT 1 FROM data.n AS n WHERE n.k = t.g AND n.w = t.v): [(2,), (3,)]'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
