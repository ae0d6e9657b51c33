#!/usr/bin/env bash
# tafra 2.2.5: np.min of a group whose only value is NaN is inf, and np.max is -inf; a lambda around np.min has NaN.
#
# tafra groups the columns of a table and calls a function of NumPy for each group. np.min of NaN is NaN, and of NaN
# and 5 too. tafra takes np.min and np.max themselves for its own minimum and maximum, which begins with infinity and
# passes NaN by: a group without a number has the value that it began with, in no row of the table and past all
# others, so that it is first in any ranking. np.sum, np.mean and np.median beside it are NaN. With NaN and 5 the
# function gives 5 and the lambda NaN. transform() gives each row of the group the same.
#
# Guess before the run: what NumPy's function gives for the values of the group.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'tafra==2.2.5' 'numpy==2.4.6'
cat >"$work/run.py" <<'PY'
import math

import numpy as np
from tafra import Tafra

NAN = math.nan
rows = Tafra({
    "k": np.array(["numbers", "none", "numbers", "one", "one", "none at all", "none at all"]),
    "v": np.array([3.0, NAN, 2.0, NAN, 5.0, NAN, NAN]),
})
functions = {"np.min": np.min, "np.max": np.max, "np.sum": np.sum, "np.mean": np.mean, "np.median": np.median}
functions |= {"lambda np.min": lambda values: np.min(values), "lambda np.max": lambda values: np.max(values)}
for name, function in functions.items():
    groups = rows.group_by(["k"], {"r": (function, "v")})
    each = rows.transform(["k"], {"r": (function, "v")})
    numpy = {key: function(rows["v"][rows["k"] == key]) for key in dict.fromkeys(rows["k"])}
    shown = ", ".join(f"{key} {value}" for key, value in zip(groups["k"], groups["r"]))
    print(f"{name}: {shown}")
    same = [str(value) for value in groups["r"]] == [str(numpy[key]) for key in groups["k"]]
    same_rows = [str(value) for value in each["r"]] == [str(numpy[key]) for key in each["k"]]
    print(f"  as NumPy: group_by {same}, transform {same_rows}")
PY
expected='np.min: numbers 2.0, none inf, one 5.0, none at all inf
  as NumPy: group_by False, transform False
np.max: numbers 3.0, none -inf, one 5.0, none at all -inf
  as NumPy: group_by False, transform False
np.sum: numbers 5.0, none nan, one nan, none at all nan
  as NumPy: group_by True, transform True
np.mean: numbers 2.5, none nan, one nan, none at all nan
  as NumPy: group_by True, transform True
np.median: numbers 2.5, none nan, one nan, none at all nan
  as NumPy: group_by True, transform True
lambda np.min: numbers 2.0, none nan, one nan, none at all nan
  as NumPy: group_by True, transform True
lambda np.max: numbers 3.0, none nan, one nan, none at all nan
  as NumPy: group_by True, transform True'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
