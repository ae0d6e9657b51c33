#!/usr/bin/env bash
# modin 0.37.1: the correlation of columns a and b is NaN, and two columns chained have no sum.
#
# modin has the methods of pandas. frame.a.corr(frame.b) and cov() are NaN for each two columns, as soon
# as their names differ: a correlates with itself, and with b if both are named v. corrwith() is NaN too.
# concat() of the two columns is a frame of two columns inside, so its sum is a Series with all the
# rows. combine_first() gives both columns beside each other, and fills nothing.
#
# Guess before the run: the values of pandas, whatever the names.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'modin==0.37.1' 'pandas==2.3.3' 'numpy==2.4.6'
cat >"$work/run.py" <<'PY'
import warnings

warnings.simplefilter("ignore")

import modin.pandas
import pandas


def shown(value):
    value = value._to_pandas() if hasattr(value, "_to_pandas") else value
    kind = type(value).__name__
    if isinstance(value, (pandas.Series, pandas.DataFrame)):
        return f"{kind} of {value.shape}: {value.to_numpy().tolist()}"
    return f"{float(value):.3f}"


for name, module in (("pandas", pandas), ("modin", modin.pandas)):
    frame = module.DataFrame({"a": [1.0, None, 3.0, 5.0], "b": [2.0, 4.0, 3.0, 9.0]})
    print(f"{name}:")
    print("  a and b:", shown(frame.a.corr(frame.b)), shown(frame.a.cov(frame.b)))
    print("  a and a:", shown(frame.a.corr(frame.a)), shown(frame.a.cov(frame.a)))
    print("  both named v:", shown(frame.a.rename("v").corr(frame.b.rename("v"))))
    print("  corrwith:", shown(frame[["b"]].corrwith(frame.a)))
    print("  combine_first:", shown(frame.a.combine_first(frame.b)))
    print("  sum of concat:", shown(module.concat([frame.a, frame.b]).sum()))
PY
expected='pandas:
  a and b: 0.924 7.000
  a and a: 1.000 4.000
  both named v: 0.924
  corrwith: Series of (1,): [0.924473451641905]
  combine_first: Series of (4,): [1.0, 4.0, 3.0, 5.0]
  sum of concat: 27.000
modin:
  a and b: nan nan
  a and a: 1.000 4.000
  both named v: 0.924
  corrwith: DataFrame of (2, 1): [[nan], [nan]]
  combine_first: DataFrame of (4, 2): [[1.0, 2.0], [nan, 4.0], [3.0, 3.0], [5.0, 9.0]]
  sum of concat: Series of (8,): [1.0, 0.0, 3.0, 5.0, 2.0, 4.0, 3.0, 9.0]'
seen=$(MODIN_ENGINE=python "$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
