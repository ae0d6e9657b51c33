#!/usr/bin/env bash
# pylance 14.0.2: once a column has a zone map, `v > 5` finds NaN in some zones and not in others.
#
# Lance orders NaN above all numbers, so NaN passes `v > 5` and `NOT v < 5`. A zone map keeps the
# minimum and maximum of every 8192 rows, without NaN. Zones of NaN alone have none, and are taken
# for zones where no number matches. So the index takes rows out of the result, and how many depends
# on where the borders of zones fall: a NaN beside a number is found. `isnan(v)` is right with both.
#
# Guess before the run: an index changes how long a query takes, not what it returns.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pylance==14.0.2' 'pyarrow==25.0.1'
cat >"$work/run.py" <<'PY'
import math
import sys

import lance
import pyarrow as pa

rows = pa.table({"v": [1.0] * 9000 + [math.nan] * 9000})
for kind in ("none", "BTREE", "ZONEMAP"):
    dataset = lance.write_dataset(rows, f"{sys.argv[1]}/{kind}")
    if kind != "none":
        dataset.create_scalar_index("v", kind)
    filters = ("v > 5", "v >= 1", "NOT (v < 5)", "isnan(v)")
    print(f"index {kind}:", ", ".join(f"{f} {dataset.count_rows(f)}" for f in filters))
PY
expected='index none: v > 5 9000, v >= 1 18000, NOT (v < 5) 9000, isnan(v) 9000
index BTREE: v > 5 9000, v >= 1 18000, NOT (v < 5) 9000, isnan(v) 9000
index ZONEMAP: v > 5 7384, v >= 1 16384, NOT (v < 5) 7384, isnan(v) 9000'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
