#!/usr/bin/env bash
# pyfunctional 1.5.0: a join of two rows and two rows of one key has one row, the last with the last.
#
# seq(...).join() pairs sequences of keys and values, with the names of SQL: inner, left, right and outer. Each side
# becomes a dictionary first, so that of the rows of a key the last one is left. A join by 1 of two rows and two rows
# has one pair of the four, and a left join fewer rows than its left side. The documentation has no word of it, and
# group_by_key(), count_by_key() and reduce_by_key() know all rows of a key.
#
# Guess before the run: each row of the one side with each of the other, 4 pairs for the key 1.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyfunctional==1.5.0'
cat >"$work/run.py" <<'PY'
from functional import seq

LEFT = [(1, 2), (1, 3), (2, 4)]
RIGHT = [(1, "a"), (1, "b"), (3, "c")]
print(f"rows of each key: left {seq(LEFT).count_by_key().to_dict()}, right {seq(RIGHT).count_by_key().to_dict()}")
for how in ("inner", "left", "right", "outer"):
    rows = seq(LEFT).join(RIGHT, how).to_list()
    print(f"{how}:", ", ".join(f"{key} ({left}, {right})" for key, (left, right) in sorted(rows)))
PY
expected='rows of each key: left {1: 2, 2: 1}, right {1: 2, 3: 1}
inner: 1 (3, b)
left: 1 (3, b), 2 (4, None)
right: 1 (3, b), 3 (None, c)
outer: 1 (3, b), 2 (4, None), 3 (None, c)'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
