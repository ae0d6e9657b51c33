#!/usr/bin/env bash
# databend 1.2.895 (and 1.2.453, the newest for Python 3.11): count(v) OVER (...) counts nulls.
#
# count(v) is the number of values that are not null: 1 and 0 in the two groups, by GROUP BY. As a
# window the same count is 2 and 2. A running count goes on over nulls, a window over a frame counts
# them, and count beside GROUP BY does. count_if and the sum of a CASE are right, and so are sum and
# average. If the column cannot be null, there is nothing to see.
#
# Guess before the run: a window has the count that GROUP BY has.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'databend==1.2.895; python_version >= "3.12"' 'databend==1.2.453; python_version < "3.12"' 'pyarrow==25.0.1'
cat >"$work/run.py" <<'PY'
from databend import SessionContext

session = SessionContext()
session.sql("CREATE TABLE t (i INT, g INT, v INT NULL)").collect()
session.sql("INSERT INTO t VALUES (1, 1, 5), (2, 1, NULL), (3, 2, NULL), (4, 2, NULL)").collect()
for query in (
    "SELECT g, count(v), count(*) FROM t GROUP BY g",
    "SELECT DISTINCT g, count(v) OVER (PARTITION BY g) FROM t",
    "SELECT DISTINCT g, count(v + 1) OVER (PARTITION BY g) FROM t",
    "SELECT DISTINCT g, sum(CASE WHEN v IS NULL THEN 0 ELSE 1 END) OVER (PARTITION BY g) FROM t",
    "SELECT DISTINCT g, sum(v) OVER (PARTITION BY g), avg(v) OVER (PARTITION BY g) FROM t",
    "SELECT i, count(v) OVER (ORDER BY i) FROM t",
    "SELECT i, count(v) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
    "SELECT g, count(max(v)) OVER () FROM t GROUP BY g",
):
    rows = [row for batch in session.sql(query).to_py_arrow() for row in zip(*batch.to_pydict().values())]
    shown = (" ".join("null" if value is None else f"{value:g}" for value in row) for row in rows)
    print(f"{query}: {', '.join(sorted(shown))}")
PY
expected='SELECT g, count(v), count(*) FROM t GROUP BY g: 1 1 2, 2 0 2
SELECT DISTINCT g, count(v) OVER (PARTITION BY g) FROM t: 1 2, 2 2
SELECT DISTINCT g, count(v + 1) OVER (PARTITION BY g) FROM t: 1 2, 2 2
SELECT DISTINCT g, sum(CASE WHEN v IS NULL THEN 0 ELSE 1 END) OVER (PARTITION BY g) FROM t: 1 1, 2 0
SELECT DISTINCT g, sum(v) OVER (PARTITION BY g), avg(v) OVER (PARTITION BY g) FROM t: 1 5 5, 2 null null
SELECT i, count(v) OVER (ORDER BY i) FROM t: 1 1, 2 2, 3 3, 4 4
SELECT i, count(v) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t: 1 1, 2 2, 3 2, 4 2
SELECT g, count(max(v)) OVER () FROM t GROUP BY g: 1 2, 2 2'
seen=$(cd "$work" && "$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
