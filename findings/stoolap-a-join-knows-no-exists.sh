#!/usr/bin/env bash
# stoolap-python 0.4.2: in ON, EXISTS of a correlated subquery is false for every row.
#
# The row 1 has a partner in u, so EXISTS (SELECT 1 FROM u WHERE u.k = t.i) is true for it: in WHERE
# it is. As a condition of a join the same text is never true, and NOT EXISTS always. So an inner join
# loses its rows or takes too many, and a left join puts null where there is a partner.
#
# Guess before the run: for an inner join, ON and WHERE are one; or an error that ON takes none.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'stoolap-python==0.4.2'
cat >"$work/run.py" <<'PY'
from stoolap import Database

db = Database.open(":memory:")
for name, rows in (("t", "(1), (2)"), ("s", "(1), (2)"), ("u", "(1)")):
    db.execute(f"CREATE TABLE {name} ({dict(t='i', s='j', u='k')[name]} INTEGER)")
    db.execute(f"INSERT INTO {name} VALUES {rows}")
partner = "EXISTS (SELECT 1 FROM u WHERE u.k = t.i)"
for text in (
    f"t JOIN s ON t.i = s.j WHERE {partner}",
    f"t JOIN s ON t.i = s.j AND {partner}",
    f"t JOIN s ON t.i = s.j WHERE NOT {partner}",
    f"t JOIN s ON t.i = s.j AND NOT {partner}",
    f"t LEFT JOIN s ON t.i = s.j AND {partner}",
    f"t LEFT JOIN s ON t.i = s.j AND NOT {partner}",
):
    rows = db.query_raw(f"SELECT t.i, s.j FROM {text} ORDER BY t.i")["rows"]
    print(f"{text.replace(partner, 'EXISTS (...)')}: {rows}")
PY
expected='t JOIN s ON t.i = s.j WHERE EXISTS (...): [[1, 1]]
t JOIN s ON t.i = s.j AND EXISTS (...): []
t JOIN s ON t.i = s.j WHERE NOT EXISTS (...): [[2, 2]]
t JOIN s ON t.i = s.j AND NOT EXISTS (...): [[1, 1], [2, 2]]
t LEFT JOIN s ON t.i = s.j AND EXISTS (...): [[1, None], [2, None]]
t LEFT JOIN s ON t.i = s.j AND NOT EXISTS (...): [[1, 1], [2, 2]]'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
