#!/usr/bin/env bash
# pyclink 0.12.2 (the streaming SQL engine clink): UNION ALL of (a, b) and (b, a) gives (a, b) twice.
#
# The columns of UNION belong together by their position, in SQL. So do those of INTERSECT and EXCEPT in clink, and
# the columns of INSERT INTO ... SELECT. UNION and UNION ALL go by the names: columns of the second query in another
# order change places, and if the second query has other names, its rows come with nulls only. Neither is an error.
# UNION then takes the rows of nulls for one.
#
# Guess before the run: by position, as INTERSECT does.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyclink==0.12.2' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import json
import sys

import pyclink


def table(name, columns, rows):
    file = f"{sys.argv[1]}/{name}"
    with open(file, "w") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    return f"CREATE TABLE {name} ({columns}) WITH (connector='file', format='json', path='{file}');"


def run(text, columns, tables, options=""):
    with pyclink.Engine() as engine:
        sink = f"CREATE TABLE r ({columns}) WITH (connector='collect'{options});"
        engine.execute(f"{tables}{sink}INSERT INTO r {text}")
        rows = engine.collect("r").read_all().to_pylist()
        engine.await_all()
    return [tuple(row.values()) for row in rows]


tables = table("t", "a BIGINT, b BIGINT", [{"a": 1, "b": 20}])
tables += table("u", "x BIGINT, y BIGINT", [{"x": 1, "y": 20}, {"x": 2, "y": 30}])
for text in (
    "SELECT b, a FROM t",
    "SELECT a, b FROM t UNION ALL SELECT b, a FROM t",
    "SELECT a, b FROM t UNION ALL SELECT b AS a, a AS b FROM t",
    "SELECT a, b FROM t UNION ALL SELECT x, y FROM u",
    "SELECT a, b FROM t UNION SELECT x, y FROM u",
    "SELECT a, b FROM t INTERSECT SELECT x, y FROM u",
    "SELECT a, b FROM t INTERSECT SELECT b, a FROM t",
    "SELECT a, b FROM t EXCEPT SELECT x, y FROM u",
):
    changelog = ", changelog='true'" if any(word in text for word in ("UNION S", "INTERSECT", "EXCEPT")) else ""
    print(f"{text}: {sorted(run(text, 'a BIGINT, b BIGINT', tables, changelog), key=str)}")
PY
expected="SELECT b, a FROM t: [(20, 1)]
SELECT a, b FROM t UNION ALL SELECT b, a FROM t: [(1, 20), (1, 20)]
SELECT a, b FROM t UNION ALL SELECT b AS a, a AS b FROM t: [(1, 20), (20, 1)]
SELECT a, b FROM t UNION ALL SELECT x, y FROM u: [(1, 20), (None, None), (None, None)]
SELECT a, b FROM t UNION SELECT x, y FROM u: [('insert', 1, 20), ('insert', None, None)]
SELECT a, b FROM t INTERSECT SELECT x, y FROM u: [('insert', 1, 20)]
SELECT a, b FROM t INTERSECT SELECT b, a FROM t: []
SELECT a, b FROM t EXCEPT SELECT x, y FROM u: [('delete', 1, 20), ('insert', 1, 20)]"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
