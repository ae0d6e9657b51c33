#!/usr/bin/env bash
# pyclink 0.12.2 (the streaming SQL engine clink): `v = 9007199254740992` finds 9007199254740993.
#
# clink adds and multiplies BIGINT exactly, and says null if the result is too large. GROUP BY, min, max and sum are
# exact too. Comparisons, abs, %, and / turn the numbers into doubles first, so they mix up numbers above 2^53: `=`
# finds a row of another number, and abs(v) and v % 3 give the result of the neighbour. CAST as BIGINT or INT goes
# the same way: it changes the number, and an INT holds 9007199254740992 afterwards. As a text 2^63 - 1 is
# '9223372036854775808.000000'. A filter by an ID of 64 bits, as databases and trackers give them, returns the rows
# of other IDs.
#
# Guess before the run: a comparison as exact as GROUP BY.
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


N = 9007199254740993
rows = [{"id": 1, "v": N}, {"id": 2, "v": 2**63 - 1}, {"id": 3, "v": -5}]
t = table("t", "id BIGINT, v BIGINT", rows)
for where in (f"v = {N - 1}", f"v = {N}", f"v < {N}", f"v IN ({N - 1})"):
    print(f"{where}: ids {[row[0] for row in run(f'SELECT id, v FROM t WHERE {where}', 'id BIGINT, v BIGINT', t)]}")
for text, kind in (
    ("v", "BIGINT"),
    ("v + 1", "BIGINT"),
    ("abs(v)", "BIGINT"),
    ("v % 3", "BIGINT"),
    ("v / 1", "BIGINT"),
    ("CAST(v AS BIGINT)", "BIGINT"),
    ("CAST(v AS INT)", "BIGINT"),
    ("CAST(v AS VARCHAR)", "VARCHAR"),
):
    print(f"{text}: {[row[1] for row in run(f'SELECT id, {text} AS x FROM t', f'id BIGINT, x {kind}', t)]}")
twins = table("t", "id BIGINT, v BIGINT", [{"id": 1, "v": N}, {"id": 2, "v": N - 1}])
text = "SELECT v, count(*) AS n FROM t GROUP BY v"
print(f"{text}: {run(text, 'v BIGINT, n BIGINT', twins)}")
PY
expected="v = 9007199254740992: ids [1]
v = 9007199254740993: ids [1]
v < 9007199254740993: ids [3]
v IN (9007199254740992): ids [1]
v: [9007199254740993, 9223372036854775807, -5]
v + 1: [9007199254740994, None, -4]
abs(v): [9007199254740992, None, 5]
v % 3: [0, 1, -2]
v / 1: [9007199254740993, 9223372036854775807, -5]
CAST(v AS BIGINT): [9007199254740992, -9223372036854775808, -5]
CAST(v AS INT): [9007199254740992, -9223372036854775808, -5]
CAST(v AS VARCHAR): ['9007199254740992', '9223372036854775808.000000', '-5']
SELECT v, count(*) AS n FROM t GROUP BY v: [(9007199254740993, 1), (9007199254740992, 1)]"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
