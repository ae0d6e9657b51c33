#!/usr/bin/env bash
# glaredb 25.6.3: the sum of 9223372036854775807, 1 and 5 is 5, and a product of decimals is another.
#
# A sum of BIGINT that does not fit is an error in PostgreSQL and Spark, and a HUGEINT in DuckDB.
# GlareDB drops what it had when an addition overflows, and goes on from 0: so the sum is that of
# the values after the overflow, positive, small and without a sign of it; `avg` of the same values is
# right. `+` and `*` of integers wrap around. So do decimals: the product of two DECIMAL(10,2) has 18
# digits, and one that needs 20 comes back as its rest by 2^64.
#
# Guess before the run: an error, or a wrapped sum, -9223372036854775803.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'glaredb==25.6.3'
cat >"$work/run.py" <<'PY'
import glaredb

con = glaredb.connect()
for text in (
    "SELECT sum(b), count(b) FROM (VALUES (9223372036854775807), (1)) AS t(b)",
    "SELECT sum(b), count(b) FROM (VALUES (9223372036854775807), (1), (5)) AS t(b)",
    "SELECT g, sum(b) FROM (VALUES ('x', 9223372036854775807), ('x', 1)) AS t(g, b) GROUP BY g",
    "SELECT avg(b) FROM (VALUES (9223372036854775807), (1)) AS t(b)",
    "SELECT 9223372036854775807 + 1",
    "SELECT a * a FROM (VALUES (CAST('99999.99' AS DECIMAL(10,2)))) AS t(a)",
    "SELECT a * a FROM (VALUES (CAST('99999999.99' AS DECIMAL(10,2)))) AS t(a)",
):
    row = str(con.query(text)).splitlines()[4]
    print(f"{text}: {' '.join(row.replace('│', ' ').split())}")
PY
expected="SELECT sum(b), count(b) FROM (VALUES (9223372036854775807), (1)) AS t(b): 0 2
SELECT sum(b), count(b) FROM (VALUES (9223372036854775807), (1), (5)) AS t(b): 5 3
SELECT g, sum(b) FROM (VALUES ('x', 9223372036854775807), ('x', 1)) AS t(g, b) GROUP BY g: x 0
SELECT avg(b) FROM (VALUES (9223372036854775807), (1)) AS t(b): 4611686018427388000
SELECT 9223372036854775807 + 1: -9223372036854775808
SELECT a * a FROM (VALUES (CAST('99999.99' AS DECIMAL(10,2)))) AS t(a): 9999998000.0001
SELECT a * a FROM (VALUES (CAST('99999999.99' AS DECIMAL(10,2)))) AS t(a): 776627961145224.1921"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
