#!/usr/bin/env bash
# agate 1.14.2: the median absolute deviation of 1, 2, 3, 4 and 5 is 0.
#
# The median absolute deviation is the median of the distances from the median. Of 1 to 5 the distances from 3 are 2,
# 1, 0, 1 and 2, and their median is 1. MAD() takes the values in their order, and the distances as they come, without
# another sort, so that it has the distance in the middle: that of the median itself, 0 for each odd number of values.
# For an even number it is half the way between the two values beside the middle. A median and quartiles are right.
#
# Guess before the run: statistics.median of the distances.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'agate==1.14.2'
cat >"$work/run.py" <<'PY'
from statistics import median

import agate

for values in ([1, 2, 3, 4, 5], [5, 1, 4, 2, 3], [1, 10, 100, 1000, 10000], [1, 2, 3, 4, 5, 6], [1, 2, 4, 8], [0, 0, 10]):
    table = agate.Table([[value] for value in values], ["v"], [agate.Number()])
    middle, deviation, spread = (table.aggregate(of("v")) for of in (agate.Median, agate.MAD, agate.IQR))
    right = median(abs(value - median(values)) for value in values)
    print(f"{values}: median {float(middle):g}, quartiles {float(spread):g} apart, deviation {float(deviation):g}, right {right:g}")
PY
expected='[1, 2, 3, 4, 5]: median 3, quartiles 2 apart, deviation 0, right 1
[5, 1, 4, 2, 3]: median 3, quartiles 2 apart, deviation 0, right 1
[1, 10, 100, 1000, 10000]: median 100, quartiles 990 apart, deviation 0, right 99
[1, 2, 3, 4, 5, 6]: median 3.5, quartiles 3 apart, deviation 0.5, right 1.5
[1, 2, 4, 8]: median 3, quartiles 4.5 apart, deviation 1, right 1.5
[0, 0, 10]: median 0, quartiles 10 apart, deviation 0, right 0'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
