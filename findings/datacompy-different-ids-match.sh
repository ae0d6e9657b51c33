#!/usr/bin/env bash
# datacompy 1.1.0: two columns of whole numbers that differ are equal, with a tolerance of 0.
#
# A comparison of two tables says match where the values are equal within rel_tol and abs_tol, both
# 0 by default. datacompy makes doubles of whole numbers first, so from 2**53 on neighbours are the
# same: ids of 18 digits, as many systems give them, may differ by dozens. The report says that all
# rows are equal. As a column to join on, the same ids are different. Texts of these digits are
# different, too.
#
# Guess before the run: with a tolerance of 0, only equal numbers match.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'datacompy==1.1.0' 'pandas==3.0.6' 'polars==1.44.2'
cat >"$work/run.py" <<'PY'
import datacompy
import pandas as pd
import polars as pl

for number in (2**53 - 1, 2**53, 1_234_567_890_123_456_789):
    for difference in (1, 100):
        old, new = ({"k": [1], "id": [number + d]} for d in (0, difference))
        frames = {
            "pandas": datacompy.PandasCompare(
                pd.DataFrame(old), pd.DataFrame(new), join_columns="k"
            ),
            "polars": datacompy.PolarsCompare(
                pl.DataFrame(old), pl.DataFrame(new), join_columns="k"
            ),
        }
        found = {name: bool(compare.matches()) for name, compare in frames.items()}
        print(f"{number} and {difference} more: {found}")
ids = [pd.DataFrame({"id": [2**53 + d], "v": [1]}) for d in (0, 1)]
compare = datacompy.PandasCompare(*ids, join_columns="id")
print("as the column to join on:", compare.matches())
PY
expected="9007199254740991 and 1 more: {'pandas': False, 'polars': False}
9007199254740991 and 100 more: {'pandas': False, 'polars': False}
9007199254740992 and 1 more: {'pandas': True, 'polars': True}
9007199254740992 and 100 more: {'pandas': False, 'polars': False}
1234567890123456789 and 1 more: {'pandas': True, 'polars': True}
1234567890123456789 and 100 more: {'pandas': True, 'polars': True}
as the column to join on: False"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
