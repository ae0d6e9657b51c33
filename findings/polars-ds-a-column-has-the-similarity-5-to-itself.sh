#!/usr/bin/env bash
# polars-ds 0.13.0: the cosine similarity of the column 3, 4 to itself is 5, and to its opposite -5.
#
# A cosine is between -1 and 1: the dot product of two columns by the product of their lengths, for 3, 4 a product of 25
# by 5 times 5. cosine_sim() takes the square root of the lengths, and then that of their product once more. So the
# similarity grows with the size of the numbers: the same two columns in cents are 100 times as similar as in
# euros, and a ranking by similarity is one by length. weighted_cosine_sim() with equal
# weights gives 1 and -1 for the same columns. Only for columns of length 1 do both agree.
#
# Guess before the run: 1 for a column and itself, and the same for all multiples.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'polars-ds==0.13.0' 'polars==2.1.0'
cat >"$work/run.py" <<'PY'
import polars as pl
import polars_ds as pds

for x, y in (([3.0, 4.0], [3.0, 4.0]), ([300.0, 400.0], [300.0, 400.0]), ([3.0, 4.0], [-3.0, -4.0]), ([3.0, 4.0], [4.0, 3.0]), ([0.6, 0.8], [0.6, 0.8])):
    table = pl.DataFrame({"x": x, "y": y, "w": [1.0, 1.0]})
    plain = table.select(pds.cosine_sim("x", "y")).item()
    weighted = table.select(pds.weighted_cosine_sim("x", "y", "w")).item()
    print(f"{x} {y}: cosine_sim {plain:.4f}, with equal weights {weighted:.4f}")
PY
expected='[3.0, 4.0] [3.0, 4.0]: cosine_sim 5.0000, with equal weights 1.0000
[300.0, 400.0] [300.0, 400.0]: cosine_sim 500.0000, with equal weights 1.0000
[3.0, 4.0] [-3.0, -4.0]: cosine_sim -5.0000, with equal weights -1.0000
[3.0, 4.0] [4.0, 3.0]: cosine_sim 4.8000, with equal weights 0.9600
[0.6, 0.8] [0.6, 0.8]: cosine_sim 1.0000, with equal weights 1.0000'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
