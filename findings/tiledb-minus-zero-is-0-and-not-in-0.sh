#!/usr/bin/env bash
# tiledb 0.36.1: -0.0 is found by v == 0 and by v not in [0.0], and NaN neither by v > 0 nor by not v > 0.
#
# A QueryCondition compares a number as IEEE 754 does: -0.0 equals 0. A condition with several values looks for the bytes
# of each, and those of -0.0 are others, so that a list of one value is not the comparison with it. The negation is
# pushed into the comparison: not v > 0 becomes v <= 0, which leaves NaN out as v > 0 does, while not v == 0, as
# v != 0, has it. The rows of a condition and of its negation are so not all rows, though no value is missing.
#
# Guess before the run: -0.0 with 0 in each, NaN in each negation, as numpy has it.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'tiledb==0.36.1' 'numpy==2.4.6'
cat >"$work/run.py" <<'PY'
import sys

import numpy as np
import tiledb

VALUES = np.array([1, np.nan, -0.0, 0.0])
place = f"{sys.argv[1]}/t"
domain = tiledb.Domain(tiledb.Dim("i", domain=(0, 9), tile=10, dtype=np.int64))
tiledb.Array.create(place, tiledb.ArraySchema(domain, attrs=[tiledb.Attr("v", dtype=np.float64)], sparse=True))
with tiledb.open(place, "w") as array:
    array[np.arange(len(VALUES))] = {"v": VALUES}
RIGHT = {
    "v == 0": VALUES == 0,
    "v in [0.0]": np.isin(VALUES, [0.0]),
    "v in [0.0, 1.0]": np.isin(VALUES, [0.0, 1.0]),
    "v != 0": VALUES != 0,
    "v not in [0.0]": ~np.isin(VALUES, [0.0]),
    "not v == 0": ~(VALUES == 0),
    "v > 0": VALUES > 0,
    "not v > 0": ~(VALUES > 0),
    "not v <= 0": ~(VALUES <= 0),
}
with tiledb.open(place) as array:
    for condition, right in RIGHT.items():
        seen = ", ".join(str(value) for value in array.query(cond=condition)[:]["v"])
        print(f"{condition}: {seen}; numpy {', '.join(str(value) for value in VALUES[right])}")
PY
expected='v == 0: -0.0, 0.0; numpy -0.0, 0.0
v in [0.0]: 0.0; numpy -0.0, 0.0
v in [0.0, 1.0]: 1.0, 0.0; numpy 1.0, -0.0, 0.0
v != 0: 1.0, nan; numpy 1.0, nan
v not in [0.0]: 1.0, nan, -0.0; numpy 1.0, nan
not v == 0: 1.0, nan; numpy 1.0, nan
v > 0: 1.0; numpy 1.0
not v > 0: -0.0, 0.0; numpy nan, -0.0, 0.0
not v <= 0: 1.0; numpy 1.0, nan'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
