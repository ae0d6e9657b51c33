#!/usr/bin/env bash
# pathway 0.33.0: in its SQL null = null is true, and null <> 1 as well.
#
# pw.sql turns `=` into the `==` of Python, for which None equals None. Then WHERE a = NULL finds
# rows, NOT (a = b) is true where one side is null, and a join by equality pairs all rows with null
# on one side with all of the other: its size grows with the square of the missing values.
# Comparisons by order, `a < b`, are refused for columns that may have nulls, with an error that
# says so. DuckDB 2.0.1 finds no rows and no pairs, as SQL has it.
#
# Guess before the run: SQL's third truth value, or an error as for `<`.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pathway[sql]==0.33.0' 'duckdb==2.0.1' 'pandas==3.1.1'
cat >"$work/run.py" <<'PY'
import logging

import duckdb
import pandas as pd
import pathway as pw

logging.disable(logging.INFO)
rows = [(1, 1), (1, 2), (1, None), (None, None), (None, None)]
t = pw.debug.table_from_rows(pw.schema_from_types(a=int | None, b=int | None), rows)
frame = pd.DataFrame(rows, columns=["a", "b"])
for text in (
    "SELECT COUNT(*) AS n FROM t WHERE a = b",
    "SELECT COUNT(*) AS n FROM t WHERE a <> b",
    "SELECT COUNT(*) AS n FROM t WHERE NOT (a = b)",
    "SELECT COUNT(*) AS n FROM t WHERE a = NULL",
    "SELECT COUNT(*) AS n FROM t JOIN t AS u ON t.a = u.b",
    "SELECT COUNT(*) AS n FROM t WHERE a < b",
):
    try:
        here = pw.debug.table_to_pandas(pw.sql(text, t=t), include_id=False)["n"].tolist()
    except TypeError as error:
        here = str(error).splitlines()[0]
    there = duckdb.sql(text.replace("FROM t", "FROM frame AS t").replace("JOIN t", "JOIN frame"))
    print(f"{text}: pathway {here}, DuckDB {[row[0] for row in there.fetchall()]}")
PY
expected="SELECT COUNT(*) AS n FROM t WHERE a = b: pathway [3], DuckDB [1]
SELECT COUNT(*) AS n FROM t WHERE a <> b: pathway [2], DuckDB [1]
SELECT COUNT(*) AS n FROM t WHERE NOT (a = b): pathway [2], DuckDB [1]
SELECT COUNT(*) AS n FROM t WHERE a = NULL: pathway [2], DuckDB [0]
SELECT COUNT(*) AS n FROM t JOIN t AS u ON t.a = u.b: pathway [9], DuckDB [3]
SELECT COUNT(*) AS n FROM t WHERE a < b: pathway Pathway does not support using binary operator lt on columns of types int | None, int | None., DuckDB [1]"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
