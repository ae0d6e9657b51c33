#!/usr/bin/env bash
# pathway 0.33.0: in its SQL, COUNT(DISTINCT i) counts duplicates, and COUNT(a) counts nulls.
#
# pw.sql makes the count of all rows of each form of COUNT, and says nothing. SELECT DISTINCT is
# refused with an error, so DISTINCT is known there, and dropped inside of COUNT. MIN takes null for
# the least value, so a group with one null has null as its minimum; MAX leaves nulls out. Over no
# rows COUNT and SUM return no row. DuckDB 2.0.1 counts values and different values, and returns 0
# for none.
#
# Guess before the run: what pw.sql does not do, it refuses.
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
rows = [(1, 10), (2, None), (2, 30), (2, 30)]
t = pw.debug.table_from_rows(pw.schema_from_types(i=int, a=int | None), rows)
frame = pd.DataFrame(rows, columns=["i", "a"])
for text in (
    "SELECT COUNT(*) AS v FROM t",
    "SELECT COUNT(DISTINCT i) AS v FROM t",
    "SELECT COUNT(a) AS v FROM t",
    "SELECT MIN(a) AS v FROM t",
    "SELECT MAX(a) AS v FROM t",
    "SELECT COUNT(*) AS v FROM t WHERE i > 9",
    "SELECT DISTINCT i AS v FROM t",
):
    try:
        here = pw.debug.table_to_pandas(pw.sql(text, t=t), include_id=False)["v"].tolist()
    except NotImplementedError as error:
        here = error
    there = [row[0] for row in duckdb.sql(text.replace("FROM t", "FROM frame")).fetchall()]
    print(f"{text}: pathway {here}, DuckDB {sorted(there)}")
PY
expected="SELECT COUNT(*) AS v FROM t: pathway [4], DuckDB [4]
SELECT COUNT(DISTINCT i) AS v FROM t: pathway [4], DuckDB [2]
SELECT COUNT(a) AS v FROM t: pathway [4], DuckDB [3]
SELECT MIN(a) AS v FROM t: pathway [<NA>], DuckDB [10.0]
SELECT MAX(a) AS v FROM t: pathway [30], DuckDB [30.0]
SELECT COUNT(*) AS v FROM t WHERE i > 9: pathway [], DuckDB [0]
SELECT DISTINCT i AS v FROM t: pathway distinct: DISTINCT not supported., DuckDB [1, 2]"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
