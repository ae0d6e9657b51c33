#!/usr/bin/env bash
# csp 0.19.1: in a window of 2 and 3, stats.sum(precise=True) is 4, and the mean above the maximum.
#
# csp keeps a sum by adding what comes into a window and subtracting what goes. precise=True is to
# add by Kahan's way, against rounding. Once 1e16 has gone through the window, all later sums are 1
# too small, precise or not, means 1.5 too large, and the deviation is 189 million. With infinity,
# precise is worse: NaN while infinity is in the window, where the plain sum is infinity; after it,
# both stay NaN. min, max and median forget what has gone. recalc= computes anew, now and then.
#
# Guess before the run: precise sums are right, and infinity goes as it came.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'csp==0.19.1'
cat >"$work/run.py" <<'PY'
import math
from datetime import datetime, timedelta

import csp
from csp import stats

start = datetime(2024, 1, 1)
seconds = [start + timedelta(seconds=n) for n in range(6)]


@csp.graph
def windows(values: list):
    x = csp.curve(float, list(zip(seconds, values)))
    csp.add_graph_output("sum", stats.sum(x, 2, min_window=1))
    csp.add_graph_output("precise sum", stats.sum(x, 2, min_window=1, precise=True))
    csp.add_graph_output("mean", stats.mean(x, 2, min_window=1))
    csp.add_graph_output("median", stats.median(x, 2, min_window=1))
    csp.add_graph_output("max", stats.max(x, 2, min_window=1))
    csp.add_graph_output("deviation", stats.stddev(x, 2, min_window=2))


for big in (1e16, math.inf):
    values = [1.0, big, 2.0, 3.0, 4.0, 5.0]
    print(f"windows of two of {values}")
    results = csp.run(windows, values, starttime=start, endtime=timedelta(seconds=10))
    for name, ticks in results.items():
        print(f"  {name}: {', '.join(f'{value:.6g}' for _, value in ticks)}")
PY
expected='windows of two of [1.0, 1e+16, 2.0, 3.0, 4.0, 5.0]
  sum: 1, 1e+16, 1e+16, 4, 6, 8
  precise sum: 1, 1e+16, 1e+16, 4, 6, 8
  mean: 1, 5e+15, 5e+15, 4, 5, 6
  median: 1, 5e+15, 5e+15, 2.5, 3.5, 4.5
  max: 1, 1e+16, 1e+16, 3, 4, 5
  deviation: 7.07107e+15, 7.07107e+15, 1.89813e+08, 1.89813e+08, 1.89813e+08
windows of two of [1.0, inf, 2.0, 3.0, 4.0, 5.0]
  sum: 1, inf, inf, nan, nan, nan
  precise sum: 1, inf, nan, nan, nan, nan
  mean: 1, inf, nan, nan, nan, nan
  median: 1, inf, inf, 2.5, 3.5, 4.5
  max: 1, inf, inf, 3, 4, 5
  deviation: nan, nan, nan, nan, nan'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
