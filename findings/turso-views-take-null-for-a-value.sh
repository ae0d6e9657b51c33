#!/usr/bin/env bash
# pyturso 0.8.3: in a materialized view, null is not equal to 1, equal to null, and 0 in a sum.
#
# Turso, SQLite written anew in Rust, runs a query by SQLite's rules, and computes a materialized
# view of the same query, an experimental feature, by other ones. There `v <> 1` keeps rows with
# null, a join matches null with null, count(v) counts null, and avg divides by it. A sum of whole
# numbers is a float. Without GROUP BY, a view of no rows has no row, where the query has a count of
# 0. Filters by `=`, `>`, OR and IS NULL are right.
#
# Guess before the run: one database has one meaning of null.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyturso==0.8.3'
cat >"$work/run.py" <<'PY'
import turso

con = turso.connect(":memory:", experimental_features="views", isolation_level=None)
run = con.cursor().execute

run("CREATE TABLE t (i INTEGER PRIMARY KEY, g TEXT, v INTEGER)")
run("CREATE TABLE u (k TEXT, w INTEGER)")
views = (
    "SELECT i FROM t WHERE v <> 1",
    "SELECT i FROM t WHERE v > 1",
    "SELECT i FROM t WHERE v = 1 OR g = 'b'",
    "SELECT i, w FROM t JOIN u ON g = k",
    "SELECT g, count(v), sum(v), avg(v) FROM t GROUP BY g",
    "SELECT count(*), sum(v) FROM t WHERE i > 100",
)
for number, query in enumerate(views):
    names = ", ".join(f"c{n}" for n in range(query.partition(" FROM")[0].count(",") + 1))
    run(f"CREATE MATERIALIZED VIEW m{number} ({names}) AS {query}")
for row in ("1, 'a', 1", "2, 'a', NULL", "3, NULL, 4", "4, 'b', NULL"):
    run(f"INSERT INTO t VALUES ({row})")
for row in ("'a', 10", "NULL, 20"):
    run(f"INSERT INTO u VALUES ({row})")
for number, query in enumerate(views):
    view = sorted(run(f"SELECT * FROM m{number}").fetchall(), key=str)
    print(f"{query}:")
    print(f"  view {view}\n  query {sorted(run(query).fetchall(), key=str)}")
PY
expected=$(cat <<'SEEN'
SELECT i FROM t WHERE v <> 1:
  view [(2,), (3,), (4,)]
  query [(3,)]
SELECT i FROM t WHERE v > 1:
  view [(3,)]
  query [(3,)]
SELECT i FROM t WHERE v = 1 OR g = 'b':
  view [(1,), (4,)]
  query [(1,), (4,)]
SELECT i, w FROM t JOIN u ON g = k:
  view [(1, 10), (2, 10), (3, 20)]
  query [(1, 10), (2, 10)]
SELECT g, count(v), sum(v), avg(v) FROM t GROUP BY g:
  view [('a', 2, 1.0, 0.5), ('b', 1, 0.0, 0.0), (None, 1, 4.0, 4.0)]
  query [('a', 1, 1, 1.0), ('b', 0, None, None), (None, 1, 4, 4.0)]
SELECT count(*), sum(v) FROM t WHERE i > 100:
  view []
  query [(0, None)]
SEEN
)
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
