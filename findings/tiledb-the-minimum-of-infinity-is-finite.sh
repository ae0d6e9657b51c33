#!/usr/bin/env bash
# tiledb 0.36.1: of a column with infinity alone the minimum and the sum are 1.797e308, and the maximum is infinity.
#
# A query's aggregates start from the largest double as the minimum so far and the least one as the maximum, so that
# infinity is never less and -infinity never more. The sum stops at the largest double, for infinity as well, and what
# comes after is not added: infinity and -infinity are 1.797e308, where the other order is NaN, and the mean of 1 and
# infinity is half of the largest double. The sum of -infinity is right. Sums of integers stop at the largest one as
# well, and so the mean of 2**62 twice and -2**62, which needs no large integer, is 3.07e18 or 1.54e18 by their order.
#
# Guess before the run: what numpy has in double precision; for the mean of the integers 1.54e18.
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

INF = np.inf
np.seterr(all="ignore")
for number, (kind, values) in enumerate(
    (
        (np.float64, [1, 2]),
        (np.float64, [INF]),
        (np.float64, [-INF]),
        (np.float64, [1, INF]),
        (np.float64, [INF, -INF]),
        (np.float64, [-INF, INF]),
        (np.int64, [2**62, 2**62, -(2**62)]),
        (np.int64, [2**62, -(2**62), 2**62]),
    )
):
    place = f"{sys.argv[1]}/t{number}"
    domain = tiledb.Domain(tiledb.Dim("i", domain=(0, 9), tile=10, dtype=np.int64))
    tiledb.Array.create(place, tiledb.ArraySchema(domain, attrs=[tiledb.Attr("v", dtype=kind)], sparse=True))
    column = np.array(values, dtype=kind)
    with tiledb.open(place, "w") as array:
        array[np.arange(len(values))] = {"v": column}
    with tiledb.open(place) as array:
        seen = array.query(attrs=["v"]).agg({"v": ["min", "max", "sum", "mean"]})[:]
    right = {"min": column.min(), "max": column.max(), "sum": column.sum(), "mean": column.mean()}
    print(f"{values}:", ", ".join(f"{name} {seen[name]:.4g}" for name in seen))
    print("  numpy:", ", ".join(f"{name} {right[name]:.4g}" for name in seen))
PY
expected='[1, 2]: min 1, max 2, sum 3, mean 1.5
  numpy: min 1, max 2, sum 3, mean 1.5
[inf]: min 1.798e+308, max inf, sum 1.798e+308, mean 1.798e+308
  numpy: min inf, max inf, sum inf, mean inf
[-inf]: min -inf, max -1.798e+308, sum -inf, mean -inf
  numpy: min -inf, max -inf, sum -inf, mean -inf
[1, inf]: min 1, max inf, sum 1.798e+308, mean 8.988e+307
  numpy: min 1, max inf, sum inf, mean inf
[inf, -inf]: min -inf, max inf, sum 1.798e+308, mean 8.988e+307
  numpy: min -inf, max inf, sum nan, mean nan
[-inf, inf]: min -inf, max inf, sum nan, mean nan
  numpy: min -inf, max inf, sum nan, mean nan
[4611686018427387904, 4611686018427387904, -4611686018427387904]: min -4.612e+18, max 4.612e+18, sum 9.223e+18, mean 3.074e+18
  numpy: min -4.612e+18, max 4.612e+18, sum 4.612e+18, mean 1.537e+18
[4611686018427387904, -4611686018427387904, 4611686018427387904]: min -4.612e+18, max 4.612e+18, sum 4.612e+18, mean 1.537e+18
  numpy: min -4.612e+18, max 4.612e+18, sum 4.612e+18, mean 1.537e+18'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
