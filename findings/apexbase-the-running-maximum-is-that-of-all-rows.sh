#!/usr/bin/env bash
# apexbase 1.37.0: the running maximum of a window is that of all rows, and so are count and last_value.
#
# The frame ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW ends at the row itself. The sum keeps
# to it. Average, maximum, minimum, count and last_value look at all rows of the partition: the
# maximum of the first row is 5, not 1. The same holds for the frame that ORDER BY brings. The sum
# counts the rows of an equal key one by one there, where RANGE has them all: 1 and 3, not 3 and 3.
# A count of v counts nulls as well, and lead(v, 1, 0) is null where no row follows.
#
# Guess before the run: the frames of SQL, or an error, as for other frames of last_value.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'apexbase==1.37.0'
cat >"$work/run.py" <<'PY'
import tempfile

from apexbase import ApexClient

UP_TO_HERE = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
CALLS = ("sum(i)", "avg(i)", "max(i)", "min(v)", "count(*)", "count(v)", "last_value(i)")
WINDOWS = [f"{call} OVER (ORDER BY i {UP_TO_HERE})" for call in CALLS] + [
    "max(i) OVER (ORDER BY i)",
    "sum(i) OVER (ORDER BY g RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
    "lead(v, 1, 0) OVER (ORDER BY i)",
]
with tempfile.TemporaryDirectory() as folder, ApexClient(folder) as client:
    client.execute("CREATE TABLE t (i BIGINT, g BIGINT, v BIGINT)")
    client.execute("INSERT INTO t (i, g, v) VALUES (1, 1, 4), (2, 1, NULL), (3, 2, 7), (4, 2, 6), (5, 2, 2)")
    for window in WINDOWS:
        rows = client.execute(f"SELECT i, {window} AS x FROM t ORDER BY i").to_dict()
        shown = ("null" if row["x"] is None else format(row["x"], "g") for row in rows)
        print(f"{window}: {', '.join(shown)}")
PY
expected='sum(i) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW): 1, 3, 6, 10, 15
avg(i) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW): 3, 3, 3, 3, 3
max(i) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW): 5, 5, 5, 5, 5
min(v) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW): 2, 2, 2, 2, 2
count(*) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW): 5, 5, 5, 5, 5
count(v) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW): 5, 5, 5, 5, 5
last_value(i) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW): 5, 5, 5, 5, 5
max(i) OVER (ORDER BY i): 5, 5, 5, 5, 5
sum(i) OVER (ORDER BY g RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW): 1, 3, 6, 10, 15
lead(v, 1, 0) OVER (ORDER BY i): null, 7, 6, 2, null'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
