#!/usr/bin/env bash
# perspective-python 5.6.1: the median of 1, 2, 4 and 8 is 3, and 2.5 if they came as 4, 8, 2, 1.
#
# A pivoted view has median, q1 and q3 of each group. Between two values they take the mean of both. For an even
# number of rows the upper of the two is found, and for the lower whatever the search left beside it is taken: of
# the 24 orders of four rows half give 2.5, the mean of 1 and 4, and of six rows four orders in ten are wrong. q3 of
# four rows has three values. Nothing has been changed or removed: the same holds for one load of all rows, and for
# the total over all groups. With an odd number of rows all orders agree.
#
# Guess before the run: 3, in any order.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check perspective-python==5.6.1
cat >"$work/run.py" <<'PY'
import collections
import itertools

import perspective


def found(values, how):
    table = perspective.table({"g": "string", "v": "float"})
    table.update([{"g": "a", "v": float(value)} for value in values])
    view = table.view(group_by=["g"], columns=["v"], aggregates={"v": how})
    total, group = view.to_columns()["v"]
    view.delete()
    table.delete()
    assert total == group
    return group


for values in ((1, 2, 4), (1, 2, 4, 8), (1, 2, 4, 8, 16), (1, 2, 4, 8, 16, 32)):
    for how in ("median", "q1", "q3"):
        counts = collections.Counter(found(order, how) for order in itertools.permutations(values))
        shown = ", ".join(f"{value} of {count} orders" for value, count in sorted(counts.items()))
        print(f"{how} of {values}: {shown}")
for order in ((1, 2, 4, 8), (4, 8, 2, 1)):
    print(f"median of {order}: {found(order, 'median')}")
PY
expected='median of (1, 2, 4): 2.0 of 6 orders
q1 of (1, 2, 4): 1.0 of 6 orders
q3 of (1, 2, 4): 4.0 of 6 orders
median of (1, 2, 4, 8): 2.5 of 12 orders, 3.0 of 12 orders
q1 of (1, 2, 4, 8): 1.5 of 24 orders
q3 of (1, 2, 4, 8): 4.5 of 6 orders, 5.0 of 6 orders, 6.0 of 12 orders
median of (1, 2, 4, 8, 16): 4.0 of 120 orders
q1 of (1, 2, 4, 8, 16): 2.0 of 120 orders
q3 of (1, 2, 4, 8, 16): 8.0 of 120 orders
median of (1, 2, 4, 8, 16, 32): 4.5 of 144 orders, 5.0 of 144 orders, 6.0 of 432 orders
q1 of (1, 2, 4, 8, 16, 32): 2.0 of 720 orders
q3 of (1, 2, 4, 8, 16, 32): 16.0 of 720 orders
median of (1, 2, 4, 8): 3.0
median of (4, 8, 2, 1): 2.5'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
