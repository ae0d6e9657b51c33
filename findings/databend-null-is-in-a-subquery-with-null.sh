#!/usr/bin/env bash
# databend 1.2.895: NULL IN (SELECT ...) is true if there is a null among the selected.
#
# Whether null is 5 or null is unknown. As a list, `v IN (5, NULL)` is null for the null in v. As a
# subquery it is true, NOT IN is false, and a CASE takes it for found. In WHERE the row comes beside
# an OR, so also a part of OR that finds nothing adds rows. Alone in WHERE, where the subquery is a
# semi-join, the row stays away, and so it does if u has no null. 1.2.453 was right here.
#
# Guess before the run: null, as for the list.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=python3 # this release needs Python 3.12
for name in python3.12 python3.13 python3.14; do
  version=$(pyenv versions --bare 2>/dev/null | grep "^${name#python}" | tail -1) || true
  PYENV_VERSION=$version "$name" -c "" 2>/dev/null && python=$name && export PYENV_VERSION=$version
done
"$python" -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'databend==1.2.895' 'pyarrow==25.0.1'
cat >"$work/run.py" <<'PY'
from databend import SessionContext

session = SessionContext()
session.sql("CREATE TABLE t (i INT, v INT NULL)").collect()
session.sql("INSERT INTO t VALUES (1, 5), (2, 7), (3, NULL)").collect()
for name, rows in (("u", "(5), (NULL)"), ("w", "(5), (6)")):
    session.sql(f"CREATE TABLE {name} (k INT NULL)").collect()
    session.sql(f"INSERT INTO {name} VALUES {rows}").collect()
for query in (
    "SELECT i, v IN (5, NULL) FROM t",
    "SELECT i, v IN (SELECT k FROM u) FROM t",
    "SELECT i, v NOT IN (SELECT k FROM u) FROM t",
    "SELECT i, v IN (SELECT k FROM w) FROM t",
    "SELECT i, CASE WHEN v IN (SELECT k FROM u) THEN 1 ELSE 0 END FROM t",
    "SELECT i FROM t WHERE v IN (SELECT k FROM u)",
    "SELECT i FROM t WHERE v IN (SELECT k FROM u) OR i > 100",
    "SELECT i FROM t WHERE v = ANY (SELECT k FROM u) OR i > 100",
    "SELECT i FROM t WHERE (v IN (SELECT k FROM u)) IS NULL",
):
    rows = [row for batch in session.sql(query).to_py_arrow() for row in zip(*batch.to_pydict().values())]
    shown = (" ".join("null" if value is None else str(value).lower() for value in row) for row in rows)
    print(f"{query}: {', '.join(sorted(shown))}")
PY
expected='SELECT i, v IN (5, NULL) FROM t: 1 true, 2 null, 3 null
SELECT i, v IN (SELECT k FROM u) FROM t: 1 true, 2 null, 3 true
SELECT i, v NOT IN (SELECT k FROM u) FROM t: 1 false, 2 null, 3 false
SELECT i, v IN (SELECT k FROM w) FROM t: 1 true, 2 false, 3 null
SELECT i, CASE WHEN v IN (SELECT k FROM u) THEN 1 ELSE 0 END FROM t: 1 1, 2 0, 3 1
SELECT i FROM t WHERE v IN (SELECT k FROM u): 1
SELECT i FROM t WHERE v IN (SELECT k FROM u) OR i > 100: 1, 3
SELECT i FROM t WHERE v = ANY (SELECT k FROM u) OR i > 100: 1, 3
SELECT i FROM t WHERE (v IN (SELECT k FROM u)) IS NULL: 2'
seen=$(cd "$work" && "$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
