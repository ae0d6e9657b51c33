#!/usr/bin/env bash
# modin 0.37.1: groupby().ffill() puts values on the rows of other groups if a row has no key.
#
# ffill() of a group takes the last value before in the same group, and keeps each row's place. Rows
# without a key are in no group. modin computes the groups one after the other and writes the values
# down in that order as soon as a key is null: a value of a is on a row of b. Index and length are those
# of the frame, so nothing shows it, and a column that is filled gets the values of other rows. bfill()
# is alike; cumsum() and shift() are right. sum(min_count=2) of a group that has two values is null:
# modin counts the parts of the frame, which has one here, in place of the values.
#
# Guess before the run: the rows of pandas.
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

VALUES = [None, 1.0, 2.0, 3.0, None, 5.0, None, 7.0, 8.0]


def shown(column):
    column = column._to_pandas() if hasattr(column, "_to_pandas") else column
    return " ".join("-" if value != value else f"{value:.0f}" for value in column)


for keys in (["a", "b", None] * 3, ["a", "b", "c"] * 3):
    print("keys:", *keys)
    print("  values:", shown(pandas.Series(VALUES)))
    for name, module in (("pandas", pandas), ("modin", modin.pandas)):
        frame = module.DataFrame({"k": keys, "v": VALUES})
        for method in ("ffill", "bfill", "cumsum"):
            print(f"  {name} {method}: {shown(getattr(frame.groupby('k').v, method)())}")
        counts, sums = frame.groupby("k").v.count(), frame.groupby("k").v.sum(min_count=2)
        print(f"  {name} counts {shown(counts)}, sums of at least 2: {shown(sums)}")
PY
expected='keys: a b None a b None a b None
  values: - 1 2 3 - 5 - 7 8
  pandas ffill: - 1 - 3 1 - 3 7 -
  pandas bfill: 3 1 - 3 7 - - 7 -
  pandas cumsum: - 1 - 3 - - - 8 -
  pandas counts 1 2, sums of at least 2: - 8
  modin ffill: - 1 - 1 3 - 3 7 -
  modin bfill: 3 7 - 1 - - 3 7 -
  modin cumsum: - 1 - 3 - - - 8 -
  modin counts 1 2, sums of at least 2: - -
keys: a b c a b c a b c
  values: - 1 2 3 - 5 - 7 8
  pandas ffill: - 1 2 3 1 5 3 7 8
  pandas bfill: 3 1 2 3 7 5 - 7 8
  pandas cumsum: - 1 2 3 - 7 - 8 15
  pandas counts 1 2 3, sums of at least 2: - 8 15
  modin ffill: - 1 2 3 1 5 3 7 8
  modin bfill: 3 1 2 3 7 5 - 7 8
  modin cumsum: - 1 2 3 - 7 - 8 15
  modin counts 1 2 3, sums of at least 2: - - -'
seen=$(MODIN_ENGINE=python "$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
