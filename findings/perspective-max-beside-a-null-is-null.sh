#!/usr/bin/env bash
# perspective-python 5.6.1: the maximum of 1.5, null and 4.5 is null, and their minimum 1.5.
#
# Perspective keeps pivoted views up to date while rows of a table come, change and go. sum and avg
# leave nulls out. max does not: one null in a group makes it null, and the total with it.
# min leaves a null out that has always been there, but is null once a value of the group becomes
# null, and so is the total, though another group has -2.0; when a row moves to another group, the
# total has its minimum again.
#
# Guess before the run: max and min leave nulls out, as sum and avg do.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check perspective-python==5.6.1
cat >"$work/run.py" <<'PY'
import sys

import perspective

how = sys.argv[1]
table = perspective.table({"id": "integer", "g": "string", "v": "float"}, index="id")


def view():
    return table.view(group_by=["g"], columns=["v"], aggregates={"v": how})


def shown(one):
    columns = one.to_columns()
    groups = [path[0] if path else "total" for path in columns["__ROW_PATH__"]]
    return ", ".join(f"{g} {v}" for g, v in zip(groups, columns["v"]))


live = view()
table.update([
    {"id": 1, "g": "a", "v": 1.5},
    {"id": 2, "g": "a", "v": None},
    {"id": 3, "g": "a", "v": 4.5},
    {"id": 4, "g": "b", "v": -2.0},
])
print(f"{how}: {shown(live)}")
table.update([{"id": 3, "v": None}])
print(f"{how}, 4.5 became null: {shown(live)}")
table.update([{"id": 1, "g": "b"}])
print(f"{how}, 1.5 moved to b: {shown(live)}")
table.remove([4])
print(f"{how}, -2 is gone: {shown(live)}")
PY
expected='avg: total 1.3333333333333333, a 3.0, b -2.0
avg, 4.5 became null: total -0.25, a 1.5, b -2.0
avg, 1.5 moved to b: total -0.25, a None, b -0.25
avg, -2 is gone: total 1.5, a None, b 1.5
max: total None, a None, b -2.0
max, 4.5 became null: total None, a None, b -2.0
max, 1.5 moved to b: total None, a None, b 1.5
max, -2 is gone: total None, a None, b 1.5
min: total -2.0, a 1.5, b -2.0
min, 4.5 became null: total None, a None, b -2.0
min, 1.5 moved to b: total -2.0, a None, b -2.0
min, -2 is gone: total 1.5, a None, b 1.5'
seen=$(for how in avg max min; do "$work/venv/bin/python" "$work/run.py" $how; done)
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
