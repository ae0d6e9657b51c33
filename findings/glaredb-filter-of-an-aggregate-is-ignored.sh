#!/usr/bin/env bash
# glaredb 25.6.3: `count(*) FILTER (WHERE v > 1)` counts all rows, and `sum(v) FILTER (...)` sums all.
#
# FILTER of an aggregate keeps other rows from it, in SQL:2003, PostgreSQL, DuckDB and Spark. GlareDB
# has it in its grammar, and computes the aggregate of all rows, with and without GROUP BY. CASE in the
# aggregate gives what is asked for.
#
# Guess before the run: an error if it is not known.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'glaredb==25.6.3'
cat >"$work/run.py" <<'PY'
import glaredb

con = glaredb.connect()
con.query("CREATE TEMP TABLE t (v INT)").show()
con.query("INSERT INTO t VALUES (1), (2), (3), (NULL)").show()
print("---")
for text in (
    "SELECT count(*) FILTER (WHERE v > 1), sum(v) FILTER (WHERE v > 100) FROM t",
    "SELECT v < 3, count(*) FILTER (WHERE v > 1) FROM t WHERE v < 3 GROUP BY v < 3",
    "SELECT count(CASE WHEN v > 1 THEN 1 END), sum(CASE WHEN v > 100 THEN v END) FROM t",
):
    row = str(con.query(text)).splitlines()[4]
    print(f"{text}: {' '.join(row.replace('│', ' ').split())}")
PY
expected='SELECT count(*) FILTER (WHERE v > 1), sum(v) FILTER (WHERE v > 100) FROM t: 4 6
SELECT v < 3, count(*) FILTER (WHERE v > 1) FROM t WHERE v < 3 GROUP BY v < 3: true 2
SELECT count(CASE WHEN v > 1 THEN 1 END), sum(CASE WHEN v > 100 THEN v END) FROM t: 2 NULL'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
seen=${seen#*---$'\n'}
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
