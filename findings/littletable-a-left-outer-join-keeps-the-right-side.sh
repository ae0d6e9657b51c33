#!/usr/bin/env bash
# littletable 3.0.2: LEFT_OUTER_JOIN keeps the rows of the right table without a partner, RIGHT_OUTER_JOIN of the left.
#
# a.outer_join(Table.LEFT_OUTER_JOIN, b, k="k") has what a right join has in SQL: all rows of b, and of a those with a
# partner. The constant for the other side has the left join, so that a table loses the rows which its name promises
# to keep. The documentation gives no other meaning. A row whose key is None has a partner in no join, as in SQL, and is
# also missing from the outer joins, the full one included, which is to have all rows of both sides.
#
# Guess before the run: what SQLite has.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'littletable==3.0.2'
cat >"$work/run.py" <<'PY'
import sqlite3
from types import SimpleNamespace

from littletable import Table

LEFT = [(0, "a"), (1, None), (2, "b")]
RIGHT = [(7, "a"), (8, None), (9, "c")]
left, right = Table("left"), Table("right")
for table, name, rows in ((left, "i", LEFT), (right, "j", RIGHT)):
    table.create_index("k")
    table.insert_many([SimpleNamespace(**{name: number, "k": key}) for number, key in rows])
base = sqlite3.connect(":memory:")
base.execute("CREATE TABLE l (i, k)")
base.execute("CREATE TABLE r (j, k)")
base.executemany("INSERT INTO l VALUES (?, ?)", LEFT)
base.executemany("INSERT INTO r VALUES (?, ?)", RIGHT)


def show(rows):
    return ", ".join(sorted(f"({i}, {j})" for i, j in rows))


for kind in ("LEFT", "RIGHT", "FULL"):
    joined = left.outer_join(getattr(Table, f"{kind}_OUTER_JOIN"), right, k="k")
    print(f"{kind}: {show((row.i, row.j) for row in joined)}")
    print(f"  SQLite: {show(base.execute(f'SELECT i, j FROM l {kind} JOIN r ON l.k = r.k'))}")
PY
expected='LEFT: (0, 7), (None, 9)
  SQLite: (0, 7), (1, None), (2, None)
RIGHT: (0, 7), (2, None)
  SQLite: (0, 7), (None, 8), (None, 9)
FULL: (0, 7), (2, None), (None, 9)
  SQLite: (0, 7), (1, None), (2, None), (None, 8), (None, 9)'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
