#!/usr/bin/env bash
# stoolap-python 0.4.2: `abs(v) <> 0` is null for a null, and a row with it passes WHERE abs(v) <> 0.
#
# A row passes WHERE if its condition is true. The same comparison is null as a column, and
# `v <> 0` and `v + 0 <> 0` leave the row out. With a function on the left, `<>` in WHERE takes null
# for a value that differs, and so does NOT of `=`. `2 NOT BETWEEN v AND 1` errs the other way: 2 is
# above 1, whatever v is, so it is true, and NOT (2 BETWEEN v AND 1) as well; both are null here, and
# `2 < v OR 2 > 1`, which says the same, is true.
#
# Guess before the run: a condition has one value, wherever it stands.
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
db.execute("INSERT INTO t VALUES (1, 1), (2, NULL), (3, 0)")
for text in (
    "v <> 0",
    "v + 0 <> 0",
    "abs(v) <> 0",
    "coalesce(v, v) <> 0",
    "NOT (abs(v) = 0)",
    "abs(v) > 0",
    "2 < v OR 2 > 1",
    "2 NOT BETWEEN v AND 1",
    "NOT (2 BETWEEN v AND 1)",
):
    kept = [row[0] for row in db.query_raw(f"SELECT i FROM t WHERE {text} ORDER BY i")["rows"]]
    values = [row[1] for row in db.query_raw(f"SELECT i, {text} FROM t ORDER BY i")["rows"]]
    print(f"{text}: values {values}, kept {kept}")
PY
expected='v <> 0: values [True, None, False], kept [1]
v + 0 <> 0: values [True, None, False], kept [1]
abs(v) <> 0: values [True, None, False], kept [1, 2]
coalesce(v, v) <> 0: values [True, None, False], kept [1, 2]
NOT (abs(v) = 0): values [True, None, False], kept [1, 2]
abs(v) > 0: values [True, None, False], kept [1]
2 < v OR 2 > 1: values [True, True, True], kept [1, 2, 3]
2 NOT BETWEEN v AND 1: values [True, None, True], kept [1, 3]
NOT (2 BETWEEN v AND 1): values [True, None, True], kept [1, 3]'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
