#!/usr/bin/env bash
# apexbase 1.37.0: HAVING sum(v * 10) looks at sum(v), and other conditions go by what SELECT shows.
#
# The sums of v * 10 are 70 and 150, and both are above 50. HAVING compares 7 and 15, the sums of v,
# and finds no group. A condition that counts by CASE finds no group, or both, by the columns that
# SELECT shows beside it; only group 2 has it. Of max(v) - min(v), which is 1 and 7, group 2 is found
# if SELECT shows the key alone, and no longer if a sum or a count is shown too.
#
# Guess before the run: HAVING filters by the value that SELECT shows; or an error.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'apexbase==1.37.0'
cat >"$work/run.py" <<'PY'
import tempfile

from apexbase import ApexClient

VALUES = ("sum(v)", "sum(v * 10)", "sum(CASE WHEN v > 4 THEN 1 ELSE 0 END)", "max(v)", "min(v)")
TESTS = ("sum(v * 10) > 50", "sum(v * 10) < 50", "sum(CASE WHEN v > 4 THEN 1 ELSE 0 END) > 1", "max(v) - min(v) > 2")
with tempfile.TemporaryDirectory() as folder, ApexClient(folder) as client:
    client.execute("CREATE TABLE t (i BIGINT, g BIGINT, v BIGINT)")
    client.execute("INSERT INTO t (i, g, v) VALUES (1, 1, 4), (2, 1, 3), (3, 2, 1), (4, 2, 6), (5, 2, 8)")

    def show(query):
        rows = (" ".join(f"{value:g}" for value in row.values()) for row in client.execute(query).to_dict())
        return ", ".join(sorted(rows)) or "no rows"

    for value in VALUES:
        print(f"{value}: {show(f'SELECT g, {value} AS x FROM t GROUP BY g')}")
    for test in TESTS:
        for shown in ("g", "g, sum(v) AS s", "g, count(*) AS n"):
            print(f"SELECT {shown} ... HAVING {test}: {show(f'SELECT {shown} FROM t GROUP BY g HAVING {test}')}")
PY
expected='sum(v): 1 7, 2 15
sum(v * 10): 1 70, 2 150
sum(CASE WHEN v > 4 THEN 1 ELSE 0 END): 1 0, 2 2
max(v): 1 4, 2 8
min(v): 1 3, 2 1
SELECT g ... HAVING sum(v * 10) > 50: no rows
SELECT g, sum(v) AS s ... HAVING sum(v * 10) > 50: no rows
SELECT g, count(*) AS n ... HAVING sum(v * 10) > 50: no rows
SELECT g ... HAVING sum(v * 10) < 50: 1, 2
SELECT g, sum(v) AS s ... HAVING sum(v * 10) < 50: 1 7, 2 15
SELECT g, count(*) AS n ... HAVING sum(v * 10) < 50: 1 2, 2 3
SELECT g ... HAVING sum(CASE WHEN v > 4 THEN 1 ELSE 0 END) > 1: no rows
SELECT g, sum(v) AS s ... HAVING sum(CASE WHEN v > 4 THEN 1 ELSE 0 END) > 1: 1 7, 2 15
SELECT g, count(*) AS n ... HAVING sum(CASE WHEN v > 4 THEN 1 ELSE 0 END) > 1: 1 2, 2 3
SELECT g ... HAVING max(v) - min(v) > 2: 2
SELECT g, sum(v) AS s ... HAVING max(v) - min(v) > 2: no rows
SELECT g, count(*) AS n ... HAVING max(v) - min(v) > 2: no rows'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
