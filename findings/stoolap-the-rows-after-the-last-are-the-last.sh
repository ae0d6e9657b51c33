#!/usr/bin/env bash
# stoolap-python 0.4.2: ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING of the last row has that row.
#
# No row follows the last one, so its frame is empty: the sum is null, and the count 0. first_value
# and last_value know that. sum, count, min, max and avg take the last row itself, which the frame
# leaves out: a sum of what is still to come does not end with null, but counts the last value twice.
# Frames before the first row are empty, as they should be.
#
# Guess before the run: an empty frame at both ends.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'stoolap-python==0.4.2'
cat >"$work/run.py" <<'PY'
from stoolap import Database

db = Database.open(":memory:")
db.execute("CREATE TABLE t (i INTEGER, v INTEGER)")
db.execute("INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)")
for frame in (
    "1 FOLLOWING AND 2 FOLLOWING",
    "1 FOLLOWING AND UNBOUNDED FOLLOWING",
    "2 PRECEDING AND 1 PRECEDING",
    "UNBOUNDED PRECEDING AND 1 PRECEDING",
):
    found = []
    for name in ("sum(v)", "count(*)", "min(v)", "avg(v)", "first_value(v)"):
        window = f"{name} OVER (ORDER BY i ROWS BETWEEN {frame})"
        rows = db.query_raw(f"SELECT i, {window} FROM t ORDER BY i")["rows"]
        found.append(f"{name} {[row[1] for row in rows]}")
    print(f"{frame}: {', '.join(found)}")
PY
expected='1 FOLLOWING AND 2 FOLLOWING: sum(v) [50, 30, 30], count(*) [2, 1, 1], min(v) [20, 30, 30], avg(v) [25.0, 30.0, 30.0], first_value(v) [20, 30, None]
1 FOLLOWING AND UNBOUNDED FOLLOWING: sum(v) [50, 30, 30], count(*) [2, 1, 1], min(v) [20, 30, 30], avg(v) [25.0, 30.0, 30.0], first_value(v) [20, 30, None]
2 PRECEDING AND 1 PRECEDING: sum(v) [None, 10, 30], count(*) [0, 1, 2], min(v) [None, 10, 10], avg(v) [None, 10.0, 15.0], first_value(v) [None, 10, 10]
UNBOUNDED PRECEDING AND 1 PRECEDING: sum(v) [None, 10, 30], count(*) [0, 1, 2], min(v) [None, 10, 10], avg(v) [None, 10.0, 15.0], first_value(v) [None, 10, 10]'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
