#!/usr/bin/env bash
# polars 2.1.0: in its SQL, `SELECT 1 WHERE false` gives a row.
#
# A SELECT without FROM has one row, which its WHERE may take away. polars does not look at WHERE
# there, whatever it says: false, null, or EXISTS of a table. So `SELECT 3 WHERE NOT EXISTS (...)`,
# a usual way to add a row only where none is, always adds one; as a side of UNION, EXCEPT or IN it
# changes the rows of the whole query. HAVING and LIMIT 0 take the row away. DuckDB 2.0.1 heeds
# WHERE.
#
# Guess before the run: no row, or an error.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'polars==2.1.0' 'duckdb==2.0.1' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import duckdb
import polars as pl

t = pl.DataFrame({"a": [1, 2]})
frames = pl.SQLContext(t=t)
rows = t.to_arrow()
for text in (
    "SELECT 3 AS a WHERE false",
    "SELECT 3 AS a WHERE NULL",
    "SELECT 3 AS a WHERE NOT EXISTS (SELECT 1 FROM t WHERE a = 1)",
    "SELECT 3 AS a LIMIT 0",
    "SELECT a FROM t UNION ALL SELECT 3 WHERE 1 > 2",
    "SELECT a FROM t EXCEPT SELECT 1 WHERE false",
    "SELECT a FROM t WHERE a IN (SELECT 1 WHERE false)",
):
    here = sorted(frames.execute(text, eager=True)["a"])
    there = sorted(row[0] for row in duckdb.sql(text.replace("FROM t", "FROM rows")).fetchall())
    print(f"{text}: polars {here} DuckDB {there}")
PY
expected="SELECT 3 AS a WHERE false: polars [3] DuckDB []
SELECT 3 AS a WHERE NULL: polars [3] DuckDB []
SELECT 3 AS a WHERE NOT EXISTS (SELECT 1 FROM t WHERE a = 1): polars [3] DuckDB []
SELECT 3 AS a LIMIT 0: polars [] DuckDB []
SELECT a FROM t UNION ALL SELECT 3 WHERE 1 > 2: polars [1, 2, 3] DuckDB [1, 2]
SELECT a FROM t EXCEPT SELECT 1 WHERE false: polars [2] DuckDB [1, 2]
SELECT a FROM t WHERE a IN (SELECT 1 WHERE false): polars [1] DuckDB []"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
