#!/usr/bin/env bash
# glaredb 25.6.3: `true OR NULL` is null, so `v = 1 OR w = 1` loses rows in which one of both is true.
#
# In SQL an OR is true if one side is, and an AND false if one side is, whatever is unknown beside it.
# In GlareDB both are null as soon as one side is. WHERE loses what it should keep: `v = 1 OR w = 1`
# a row with 1 and null, `NOT (v = 1 AND w = 1)` one with 2 and null, `v <> 1 OR v IS NULL` the nulls
# that it asks for. A list of IN is such an OR: `1 IN (1, NULL)` is null. If a subquery gives the list
# it is the other way round: a null in it counts for nothing, and NOT IN keeps all that is not 1.
#
# Guess before the run: three-valued logic.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'glaredb==25.6.3'
cat >"$work/run.py" <<'PY'
import glaredb

con = glaredb.connect()
con.query("CREATE TEMP TABLE t (i TEXT, v INT, w INT)").show()
rows = "('a', 1, 1), ('b', 1, NULL), ('c', NULL, 1), ('d', 2, NULL), ('e', 2, 1)"
con.query(f"INSERT INTO t VALUES {rows}").show()
print("---")
for text in (
    "SELECT true OR NULL, NULL OR true, false AND NULL, NULL AND false",
    "SELECT string_agg(i, ' ') FROM t WHERE v = 1",
    "SELECT string_agg(i, ' ') FROM t WHERE v = 1 OR w = 1",
    "SELECT string_agg(i, ' ') FROM t WHERE NOT (v = 1 AND w = 1)",
    "SELECT string_agg(i, ' ') FROM t WHERE v <> 1 OR v IS NULL",
    "SELECT string_agg(i, ' ') FROM t WHERE v IN (1, NULL)",
    "SELECT string_agg(i, ' ') FROM t WHERE v IN (SELECT w FROM t)",
    "SELECT string_agg(i, ' ') FROM t WHERE v NOT IN (SELECT w FROM t)",
):
    row = str(con.query(text)).splitlines()[4]
    print(f"{text}: {' '.join(row.replace('│', ' ').split())}")
PY
expected="SELECT true OR NULL, NULL OR true, false AND NULL, NULL AND false: NULL NULL NULL NULL
SELECT string_agg(i, ' ') FROM t WHERE v = 1: a b
SELECT string_agg(i, ' ') FROM t WHERE v = 1 OR w = 1: a e
SELECT string_agg(i, ' ') FROM t WHERE NOT (v = 1 AND w = 1): e
SELECT string_agg(i, ' ') FROM t WHERE v <> 1 OR v IS NULL: d e
SELECT string_agg(i, ' ') FROM t WHERE v IN (1, NULL): NULL
SELECT string_agg(i, ' ') FROM t WHERE v IN (SELECT w FROM t): a b
SELECT string_agg(i, ' ') FROM t WHERE v NOT IN (SELECT w FROM t): c d e"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
seen=${seen#*---$'\n'}
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
