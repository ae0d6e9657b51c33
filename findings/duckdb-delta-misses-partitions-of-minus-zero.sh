#!/usr/bin/env bash
# deltalake 1.6.6 writes, DuckDB 1.5.5's delta extension reads: `x >= 0` misses the partition of -0.0.
#
# For DuckDB -0.0 equals 0.0, and NaN is above all numbers. Its delta extension hands comparisons to
# the Delta kernel, which leaves out partitions and files by other rules. There -0.0 is below 0.0, so
# `x = 0` and `x >= 0` miss the partition of -0.0; `x < 0` has no row of it either, and `x IN (0, 7)`,
# which is not handed over, finds it. A file of NaN and 5.0 has the bounds 5.0 and 5.0, and `x <> 5` and
# `x > 6` miss its NaN. In one file without partitions, with an infinity, for which the log has no
# bound, all are found.
#
# Guess before the run: a filter finds in the table what it finds in a copy of its rows.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  'deltalake==1.6.6' 'pyarrow==26.0.1' 'duckdb==1.5.5' 'duckdb-extension-delta==1.5.5'
cat >"$work/run.py" <<'PY'
import importlib.resources
import sys
from math import inf, nan

import duckdb
import pyarrow as pa
from deltalake import write_deltalake

con = duckdb.connect()
(extension,) = importlib.resources.files("duckdb_extension_delta").glob("**/*.duckdb_extension")
con.execute(f"LOAD '{extension}'")
partitioned, plain, unbound = (f"{sys.argv[1]}/{name}" for name in ("partitioned", "plain", "unbound"))
zeros = pa.table({"id": [1, 2, 3], "x": [-0.0, 7.0, -7.0]})
write_deltalake(partitioned, zeros, partition_by=["x"])
for values in ([1, 2], [nan, 5.0]), ([3, 4], [5.0, 6.0]):
    write_deltalake(plain, pa.table(dict(zip(("id", "x"), values))), mode="append")
write_deltalake(unbound, pa.table({"id": [1, 2, 3, 4, 5], "x": [nan, 5.0, -0.0, 6.0, inf]}))
for folder, conditions in (
    (partitioned, ("x = 0", "x >= 0", "x IN (0, 7)", "x < 0", "x <= 0", "x <> 7")),
    (plain, ("x <> 5", "x > 6", "x > 4", "isnan(x)")),
    (unbound, ("x = 0", "x <> 5", "x > 6")),
):
    con.execute(f"CREATE OR REPLACE TABLE copy AS FROM delta_scan('{folder}')")
    for condition in conditions:
        found = [
            [row[0] for row in con.execute(f"SELECT id FROM {t} WHERE {condition} ORDER BY id").fetchall()]
            for t in (f"delta_scan('{folder}')", "copy")
        ]
        print(f"{folder.rpartition('/')[2]}, {condition}: Delta {found[0]}, copy {found[1]}")
PY
expected='partitioned, x = 0: Delta [], copy [1]
partitioned, x >= 0: Delta [2], copy [1, 2]
partitioned, x IN (0, 7): Delta [1, 2], copy [1, 2]
partitioned, x < 0: Delta [3], copy [3]
partitioned, x <= 0: Delta [1, 3], copy [1, 3]
partitioned, x <> 7: Delta [1, 3], copy [1, 3]
plain, x <> 5: Delta [4], copy [1, 4]
plain, x > 6: Delta [], copy [1]
plain, x > 4: Delta [1, 2, 3, 4], copy [1, 2, 3, 4]
plain, isnan(x): Delta [1], copy [1]
unbound, x = 0: Delta [3], copy [3]
unbound, x <> 5: Delta [1, 3, 4, 5], copy [1, 3, 4, 5]
unbound, x > 6: Delta [1, 5], copy [1, 5]'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
