#!/usr/bin/env bash
# static-frame 5.1.1: three rows with the key NaN are one group of iter_group and three rows of a pivot.
#
# A Frame groups rows by iter_group, with NaN as one key: its group has the sum 9 of all three. pivot with the same
# column as index says that it groups as well, and gives each NaN a row of its own, so that its sums are those of
# single rows and its index has one label three times. iter_group by two columns, with NaN in one, has one group for
# NaN as well. None is one key in all of them.
#
# Guess before the run: the groups of iter_group, or none for NaN.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'static-frame==5.1.1' 'numpy==2.4.6'
cat >"$work/run.py" <<'PY'
import math

import numpy as np
import static_frame as sf

for name, missing, one in (("NaN", math.nan, 1.0), ("None", None, "one")):
    rows = [(missing, "x", 2), (one, "x", 1), (missing, "x", 3), (one, "y", 6), (missing, "x", 4)]
    frame = sf.Frame.from_records(rows, columns=("k", "h", "v"))
    groups = [f"{key} {int(group['v'].sum())}" for key, group in frame.iter_group_items("k")]
    pairs = [f"{key[0]} {key[1]} {int(group['v'].sum())}" for key, group in frame.iter_group_items(["k", "h"])]
    pivot = frame.pivot("k", data_fields="v", func=np.sum)
    pivoted = [f"{key} {int(value)}" for key, value in zip(pivot.index, pivot.values[:, 0])]
    print(f"{name}: iter_group k: {', '.join(sorted(groups))}; pivot k: {', '.join(sorted(pivoted))}; iter_group k, h: {', '.join(sorted(pairs))}")
PY
expected='NaN: iter_group k: 1.0 7, nan 9; pivot k: 1.0 7, nan 2, nan 3, nan 4; iter_group k, h: 1.0 x 1, 1.0 y 6, nan x 9
None: iter_group k: None 9, one 7; pivot k: None 9, one 7; iter_group k, h: None x 9, one x 1, one y 6'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
