#!/usr/bin/env bash
# chdb 4.4.0 (ClickHouse 26.9): `=` in WHERE, in JOIN ... ON and in IN are three comparisons.
#
# In WHERE -0.0 = 0.0 is true, and NaN = NaN false. The keys of a join, and the list of an IN, are
# compared by their bits: there 0.0 does not match -0.0, and NaN matches itself. So a join by
# equality has pairs for which its own condition is false, and lacks pairs for which it is true.
# GROUP BY and DISTINCT go by the bits, too. DuckDB 2.0.1 takes the zeros for equal in all of them,
# and NaN as well.
#
# Guess before the run: a join ON a = b returns the pairs for which a = b.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'chdb==4.4.0' 'duckdb==2.0.1'
cat >"$work/run.py" <<'PY'
import chdb
import duckdb

values = "(SELECT 'zero' AS n, 0::DOUBLE AS v UNION ALL SELECT 'minus zero', '-0.0'::DOUBLE"
rows = f"{values} UNION ALL SELECT 'nan', 'nan'::DOUBLE)"
for text in (
    f"SELECT a.n, b.n, a.v = b.v FROM {rows} a JOIN {rows} b ON a.v = b.v ORDER BY a.n, b.n",
    f"SELECT count(*) FROM {rows} a JOIN {rows} b ON a.v = b.v",
    f"SELECT sum(CASE WHEN a.v = b.v THEN 1 ELSE 0 END) FROM {rows} a CROSS JOIN {rows} b",
    f"SELECT n FROM {rows} a WHERE v = 0 ORDER BY n",
    f"SELECT n FROM {rows} a WHERE v IN (0.0) ORDER BY n",
):
    here = [line.split("\t") for line in str(chdb.query(text, "TabSeparated")).splitlines()]
    there = duckdb.sql(text).fetchall()
    print(text.replace(rows, "t"))
    print("  chdb", [" ".join(row) for row in here])
    print("  DuckDB", [" ".join(str(v) for v in row) for row in there])
PY
expected="SELECT a.n, b.n, a.v = b.v FROM t a JOIN t b ON a.v = b.v ORDER BY a.n, b.n
  chdb ['minus zero minus zero 1', 'nan nan 0', 'zero zero 1']
  DuckDB ['minus zero minus zero True', 'minus zero zero True', 'nan nan True', 'zero minus zero True', 'zero zero True']
SELECT count(*) FROM t a JOIN t b ON a.v = b.v
  chdb ['3']
  DuckDB ['5']
SELECT sum(CASE WHEN a.v = b.v THEN 1 ELSE 0 END) FROM t a CROSS JOIN t b
  chdb ['4']
  DuckDB ['5']
SELECT n FROM t a WHERE v = 0 ORDER BY n
  chdb ['minus zero', 'zero']
  DuckDB ['minus zero', 'zero']
SELECT n FROM t a WHERE v IN (0.0) ORDER BY n
  chdb ['zero']
  DuckDB ['minus zero', 'zero']"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
