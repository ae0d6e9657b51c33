#!/usr/bin/env bash
# tdigest 0.5.2.2: the first percentile of ninety-nine zeros and a million is -970000, the median 10000.
#
# A t-digest keeps the values near both ends exactly and estimates those between. percentile() draws a
# line through the neighbours of a value, also where they are far away on one side alone: of zeros and
# one large value, zeros beside it become negative. percentile(0) and percentile(100) are the minimum and
# the maximum, so 0% is higher than 1%. cdf(-1) says that a quarter of 0, 0 and 10
# is below -1.
#
# Guess before the run: no percentile is below the minimum, and the median of these is 0.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'tdigest==0.5.2.2' 'setuptools==80.9.0'
cat >"$work/run.py" <<'PY'
from tdigest import TDigest

for name, values in (
    ("0, 0, 10", [0, 0, 10]),
    ("5, 5, 5, 20", [5, 5, 5, 20]),
    ("99 times 0, and 1000000", [0] * 99 + [1000000]),
    ("90 times 1, 10 times 1000", [1] * 90 + [1000] * 10),
):
    digest = TDigest()
    digest.batch_update(values)
    shown = ", ".join(f"{rank}%: {digest.percentile(rank):.2f}" for rank in (0, 1, 25, 50, 75, 99, 100))
    print(f"{name}: {shown}")
    print(f"  below {min(values) - 1}: {digest.cdf(min(values) - 1):.2f} of the values")
PY
expected='0, 0, 10: 0%: 0.00, 1%: -6.47, 25%: -1.67, 50%: 3.33, 75%: 8.33, 99%: 10.00, 100%: 10.00
  below -1: 0.27 of the values
5, 5, 5, 20: 0%: 5.00, 1%: -5.95, 25%: 1.25, 50%: 8.75, 75%: 16.25, 99%: 20.00, 100%: 20.00
  below 4: 0.33 of the values
99 times 0, and 1000000: 0%: 0.00, 1%: -970000.00, 25%: -490000.00, 50%: 10000.00, 75%: 510000.00, 99%: 990000.00, 100%: 1000000.00
  below -1: 0.49 of the values
90 times 1, 10 times 1000: 0%: 1.00, 1%: -878.12, 25%: -398.60, 50%: 100.90, 75%: 600.40, 99%: 1000.00, 100%: 1000.00
  below 0: 0.45 of the values'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
