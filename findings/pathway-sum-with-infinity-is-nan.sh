#!/usr/bin/env bash
# pathway 0.33.0: the sum of infinity and 5.0 is NaN.
#
# pathway's reducers sum and avg keep the rounding error of a float sum beside it, so that a row
# that is deleted later can be taken out again. With an infinity that error is infinity minus
# infinity, NaN, and the result is NaN from the second row of the group on. A group of one infinity
# is right, and so are max and min. After the infinity is deleted, the sum of what is left stays
# NaN.
#
# Guess before the run: inf + 5.0 is inf, as in Python, and 5.0 once infinity is gone.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-compile --disable-pip-version-check 'pathway==0.33.0'
cat >"$work/run.py" <<'PY'
import math

import pathway as pw


class Row(pw.Schema):
    id: int = pw.column_definition(primary_key=True)
    group: str
    x: float


rows = [  # id, group, x, time, and whether the row comes or goes
    (1, "alone", math.inf, 2, 1),
    (2, "with 5", math.inf, 2, 1),
    (3, "with 5", 5.0, 2, 1),
    (2, "with 5", math.inf, 4, -1),
    (4, "finite", 1e16, 2, 1),
    (5, "finite", 1.0, 2, 1),
    (4, "finite", 1e16, 4, -1),
]
table = pw.debug.table_from_rows(Row, rows, is_stream=True)
sums = table.groupby(pw.this.group).reduce(
    pw.this.group, sum=pw.reducers.sum(pw.this.x), max=pw.reducers.max(pw.this.x)
)
seen = []
pw.io.subscribe(sums, lambda key, row, time, is_addition: seen.append((time, is_addition, row)))
pw.run(monitoring_level=pw.MonitoringLevel.NONE)
for time, _, row in sorted((s for s in seen if s[1]), key=lambda s: (s[0], s[2]["group"])):
    print(f"time {time}, {row['group']}: sum {row['sum']}, max {row['max']}")
PY
expected='time 2, alone: sum inf, max inf
time 2, finite: sum 1e+16, max 1e+16
time 2, with 5: sum nan, max inf
time 4, finite: sum 1.0, max 1.0
time 4, with 5: sum nan, max 5.0'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
