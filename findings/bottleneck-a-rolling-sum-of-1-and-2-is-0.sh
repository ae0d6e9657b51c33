#!/usr/bin/env bash
# Bottleneck 1.6.0: the rolling sum of 1 and 2 is 0 once 1e20 has left the window, and NaN once infinity has.
#
# The functions move_sum and move_mean add what enters a window and subtract what leaves it. What a large value has
# rounded away does not come back: after 1e20 the sums of 1 and 2, and of 2 and 3, are 0 and 2, and so on to the end.
# Infinity less infinity is NaN, which stays for all later windows, though a NaN in the rows themselves leaves with its
# window. The variance stays NaN as well, and is 0, 3 and 6 for three pairs of neighbours. The maximum is right.
#
# Guess before the run: the sum of the two values in each window.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'Bottleneck==1.6.0' 'numpy==2.4.6'
cat >"$work/run.py" <<'PY'
import bottleneck
import numpy as np

np.seterr(all="ignore")
for values in ([5, 1, 2, 3, 4], [1e20, 1, 2, 3, 4], [np.inf, 1, 2, 3, 4], [np.nan, 1, 2, 3, 4]):
    column = np.array(values, dtype=float)
    pairs = np.lib.stride_tricks.sliding_window_view(column, 2)
    print(f"{values}: the sums of two are {', '.join(f'{pair.sum():g}' for pair in pairs)}")
    for name in ("move_sum", "move_mean", "move_var", "move_max"):
        seen = getattr(bottleneck, name)(column, 2)[1:]
        print(f"  {name}: {', '.join(f'{value:g}' for value in seen)}")
PY
expected='[5, 1, 2, 3, 4]: the sums of two are 6, 3, 5, 7
  move_sum: 6, 3, 5, 7
  move_mean: 3, 1.5, 2.5, 3.5
  move_var: 4, 0.25, 0.25, 0.25
  move_max: 5, 2, 3, 4
[1e+20, 1, 2, 3, 4]: the sums of two are 1e+20, 3, 5, 7
  move_sum: 1e+20, 0, 2, 4
  move_mean: 5e+19, 0, 1, 2
  move_var: 2.5e+39, 0, 3, 6
  move_max: 1e+20, 2, 3, 4
[inf, 1, 2, 3, 4]: the sums of two are inf, 3, 5, 7
  move_sum: inf, nan, nan, nan
  move_mean: inf, nan, nan, nan
  move_var: nan, nan, nan, nan
  move_max: inf, 2, 3, 4
[nan, 1, 2, 3, 4]: the sums of two are nan, 3, 5, 7
  move_sum: nan, 3, 5, 7
  move_mean: nan, 1.5, 2.5, 3.5
  move_var: nan, 0.25, 0.25, 0.25
  move_max: nan, 2, 3, 4'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
