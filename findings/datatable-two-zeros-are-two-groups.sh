#!/usr/bin/env bash
# datatable 1.1.0: by(f.d) has a group for -0.0 and one for 0.0, nunique() counts them as one, and == too.
#
# -0.0 and 0.0 are equal, and equal values are one group, one unique value and no difference of two sets.
# datatable compares values by ==, in filters, joins and nunique(); it sorts by their bits, and groups, unique()
# and sets are made by the sort. So there are more groups than nunique() says, a set without 0.0 has 0.0 still,
# and a row sorted by d and i comes before one whose i is less. A join has a partner for each of the two groups.
#
# Guess before the run: one group.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'datatable==1.1.0'
cat >"$work/run.py" <<'PY'
from datatable import Frame, by, f, g, intersect, join, nunique, setdiff, sort, sum, unique

rows = Frame(i=[0, 1, 2, 3], d=[-0.0, 0.0, 1.5, -0.0])
keyed = Frame(d=[0.0], w=[7])
keyed.key = "d"


def show(name, frame):
    print(f"{name}: {', '.join(' '.join(str(value) for value in row) for row in frame.to_tuples()) or 'none'}")


show("d == 0", rows[f.d == 0, f.i])
show("nunique", rows[:, nunique(f.d)])
show("unique", unique(rows["d"]))
show("groups", rows[:, sum(f.i), by(f.d)])
show("groups of a join", rows[:, sum(g.w), by(f.d), join(keyed)])
show("sorted by d and i", rows[:, f.i, sort(f.d, f.i)])
show("0.0 without -0.0", setdiff(Frame([0.0]), Frame([-0.0])))
show("0.0 and -0.0", intersect(Frame([0.0]), Frame([-0.0])))
PY
expected='d == 0: 0, 1, 3
nunique: 2
unique: -0.0, 0.0, 1.5
groups: -0.0 3, 0.0 1, 1.5 2
groups of a join: -0.0 14, 0.0 7, 1.5 0
sorted by d and i: 0, 3, 1, 2
0.0 without -0.0: 0.0
0.0 and -0.0: none'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
