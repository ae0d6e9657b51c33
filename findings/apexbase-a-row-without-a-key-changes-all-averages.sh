#!/usr/bin/env bash
# apexbase 1.37.0: one row without a key divides the averages of all other groups by too much.
#
# avg(v) is over the values of v that are not null: 4 of (4, null) and 7 of (null, 6, 8). So it is
# until a row comes whose key g is null. It is a group of its own, and yet the averages of the groups
# 1 and 2 become 2 and 4.67: they are divided by all rows, beside a count(v) that leaves nulls out.
# Under `WHERE g IS NOT NULL` and in HAVING they are so from the start. avg(v + 0) is right.
#
# Guess before the run: a row of one group changes no other group.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'apexbase==1.37.0'
cat >"$work/run.py" <<'PY'
import tempfile

from apexbase import ApexClient

QUERIES = (
    "SELECT g, sum(v) AS s, count(v) AS n, avg(v) AS a FROM t GROUP BY g",
    "SELECT g, avg(v + 0) AS a FROM t GROUP BY g",
    "SELECT g, avg(v) AS a FROM t WHERE g IS NOT NULL GROUP BY g",
    "SELECT g, avg(v) AS a FROM t WHERE v IS NOT NULL GROUP BY g",
    "SELECT g, count(*) AS n FROM t GROUP BY g HAVING avg(v) > 2.5",
)
with tempfile.TemporaryDirectory() as folder, ApexClient(folder) as client:
    client.execute("CREATE TABLE t (i BIGINT, g BIGINT, v BIGINT)")
    for rows in ("(1, 1, 4), (2, 1, NULL), (3, 2, NULL), (4, 2, 6), (5, 2, 8)", "(6, NULL, 10)"):
        client.execute(f"INSERT INTO t (i, g, v) VALUES {rows}")
        print(f"and {rows}:")
        for query in QUERIES:
            found = (" ".join(f"{value:.4g}" if value is not None else "null" for value in row.values())
                     for row in client.execute(query).to_dict())
            print(f"  {query}: {', '.join(sorted(found))}")
PY
expected='and (1, 1, 4), (2, 1, NULL), (3, 2, NULL), (4, 2, 6), (5, 2, 8):
  SELECT g, sum(v) AS s, count(v) AS n, avg(v) AS a FROM t GROUP BY g: 1 4 1 4, 2 14 2 7
  SELECT g, avg(v + 0) AS a FROM t GROUP BY g: 1 4, 2 7
  SELECT g, avg(v) AS a FROM t WHERE g IS NOT NULL GROUP BY g: 1 2, 2 4.667
  SELECT g, avg(v) AS a FROM t WHERE v IS NOT NULL GROUP BY g: 1 4, 2 7
  SELECT g, count(*) AS n FROM t GROUP BY g HAVING avg(v) > 2.5: 2 3
and (6, NULL, 10):
  SELECT g, sum(v) AS s, count(v) AS n, avg(v) AS a FROM t GROUP BY g: 1 4 1 2, 2 14 2 4.667, null 10 1 10
  SELECT g, avg(v + 0) AS a FROM t GROUP BY g: 1 4, 2 7, null 10
  SELECT g, avg(v) AS a FROM t WHERE g IS NOT NULL GROUP BY g: 1 2, 2 4.667
  SELECT g, avg(v) AS a FROM t WHERE v IS NOT NULL GROUP BY g: 1 4, 2 7, null 10
  SELECT g, count(*) AS n FROM t GROUP BY g HAVING avg(v) > 2.5: 2 3, null 1'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
