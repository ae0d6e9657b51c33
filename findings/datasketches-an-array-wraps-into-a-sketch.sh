#!/usr/bin/env bash
# datasketches 5.2.0: an array with 2^31 puts -2^31 into a sketch of integers; 2^31 by itself is an error.
#
# kll_ints_sketch, req_ints_sketch and quantiles_ints_sketch hold integers of 32 bits. update() of one number that
# does not fit, or of a float, raises TypeError. update() of an array, the fast way that the package recommends,
# casts it instead, without a word: 2^32 + 7 is 7, 1.9 is 1, and 2^31 and NaN are -2^31, which is then the minimum
# and the lowest quantile. An array of whole numbers has 64 bits in numpy, so milliseconds and most ids do not
# fit. A sketch of floats leaves NaN out of an array too.
#
# Guess before the run: the same error for an array that has such a number.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'datasketches==5.2.0' 'numpy==2.4.6'
cat >"$work/run.py" <<'PY'
import warnings

import datasketches
import numpy

warnings.simplefilter("ignore")
ARRAYS = {
    "5 and 7": numpy.array([5, 7]),
    "5 and 2^31": numpy.array([5, 2**31]),
    "5 and 2^32 + 7": numpy.array([5, 2**32 + 7]),
    "milliseconds of two days": numpy.array(["2024-06-01", "2024-06-30"], dtype="datetime64[ms]").astype("int64"),
    "1.9 and 2.5": numpy.array([1.9, 2.5]),
    "5 and NaN": numpy.array([5.0, float("nan")]),
}


def shown(sketch):
    return f"{sketch.n} values from {sketch.get_min_value():g} to {sketch.get_max_value():g}"


for kind in ("kll_ints_sketch", "req_ints_sketch", "quantiles_ints_sketch", "kll_floats_sketch"):
    for name, array in ARRAYS.items():
        whole, single = getattr(datasketches, kind)(), getattr(datasketches, kind)()
        whole.update(array)
        try:
            for value in array.tolist():
                single.update(value)
            other = shown(single)
        except TypeError:
            other = "TypeError"
        print(f"{kind}, {name}: {shown(whole)}; one by one {other}")
PY
expected='kll_ints_sketch, 5 and 7: 2 values from 5 to 7; one by one 2 values from 5 to 7
kll_ints_sketch, 5 and 2^31: 2 values from -2.14748e+09 to 5; one by one TypeError
kll_ints_sketch, 5 and 2^32 + 7: 2 values from 5 to 7; one by one TypeError
kll_ints_sketch, milliseconds of two days: 2 values from -7.86918e+08 to 1.71868e+09; one by one TypeError
kll_ints_sketch, 1.9 and 2.5: 2 values from 1 to 2; one by one TypeError
kll_ints_sketch, 5 and NaN: 2 values from -2.14748e+09 to 5; one by one TypeError
req_ints_sketch, 5 and 7: 2 values from 5 to 7; one by one 2 values from 5 to 7
req_ints_sketch, 5 and 2^31: 2 values from -2.14748e+09 to 5; one by one TypeError
req_ints_sketch, 5 and 2^32 + 7: 2 values from 5 to 7; one by one TypeError
req_ints_sketch, milliseconds of two days: 2 values from -7.86918e+08 to 1.71868e+09; one by one TypeError
req_ints_sketch, 1.9 and 2.5: 2 values from 1 to 2; one by one TypeError
req_ints_sketch, 5 and NaN: 2 values from -2.14748e+09 to 5; one by one TypeError
quantiles_ints_sketch, 5 and 7: 2 values from 5 to 7; one by one 2 values from 5 to 7
quantiles_ints_sketch, 5 and 2^31: 2 values from -2.14748e+09 to 5; one by one TypeError
quantiles_ints_sketch, 5 and 2^32 + 7: 2 values from 5 to 7; one by one TypeError
quantiles_ints_sketch, milliseconds of two days: 2 values from -7.86918e+08 to 1.71868e+09; one by one TypeError
quantiles_ints_sketch, 1.9 and 2.5: 2 values from 1 to 2; one by one TypeError
quantiles_ints_sketch, 5 and NaN: 2 values from -2.14748e+09 to 5; one by one TypeError
kll_floats_sketch, 5 and 7: 2 values from 5 to 7; one by one 2 values from 5 to 7
kll_floats_sketch, 5 and 2^31: 2 values from 5 to 2.14748e+09; one by one 2 values from 5 to 2.14748e+09
kll_floats_sketch, 5 and 2^32 + 7: 2 values from 5 to 4.29497e+09; one by one 2 values from 5 to 4.29497e+09
kll_floats_sketch, milliseconds of two days: 2 values from 1.7172e+12 to 1.71971e+12; one by one 2 values from 1.7172e+12 to 1.71971e+12
kll_floats_sketch, 1.9 and 2.5: 2 values from 1.9 to 2.5; one by one 2 values from 1.9 to 2.5
kll_floats_sketch, 5 and NaN: 1 values from 5 to 5; one by one 1 values from 5 to 5'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
