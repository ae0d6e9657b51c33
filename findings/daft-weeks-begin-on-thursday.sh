#!/usr/bin/env bash
# daft 0.7.26: date_trunc('week', ...) gives a Thursday, and substr is not substring.
#
# ISO 8601, DuckDB, Spark and PostgreSQL begin a week on Monday. daft cuts the time since 1 January
# 1970, a Thursday, into pieces of seven days: Monday to Wednesday fall into the week before, in its
# SQL and in its expressions. week_of_year of the same table counts from Monday. In its SQL, the
# first character is substr(s, 0, 1), and substring(s, 1, 1): substr(s, 1, 1) leaves it out.
# Elsewhere the two are one function.
#
# Guess before the run: Monday, and one function with two names.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'daft==0.7.26' 'duckdb==2.0.1' 'pyarrow==25.0.1'
cat >"$work/run.py" <<'PY'
from datetime import datetime

import daft
import duckdb
import pyarrow as pa
from daft import col
from daft.functions import date_trunc

days = [datetime(2024, 1, 1, 10), datetime(2024, 1, 3, 10), datetime(2024, 1, 4, 10)]
t = pa.table({"t": days, "s": ["abc", "de", "f"]})
rows = daft.from_arrow(t)
for text in ("date_trunc('week', t)", "substr(s, 1, 1)", "substring(s, 1, 1)"):
    here = daft.sql(f"SELECT {text} AS v FROM rows", rows=rows).to_pydict()["v"]
    there = [row[0] for row in duckdb.sql(f"SELECT {text} FROM t").fetchall()]
    print(f"{text}: daft {[str(v)[:10] for v in here]}, DuckDB {[str(v)[:10] for v in there]}")
weeks = rows.select(date_trunc("1 week", col("t")).alias("w")).to_pydict()["w"]
print("expression:", [f"{day:%a %d %b} in {week:%a %d %b}" for day, week in zip(days, weeks)])
iso = daft.sql("SELECT week_of_year(t) AS w FROM rows", rows=rows).to_pydict()["w"]
print("week_of_year:", iso)
PY
expected="date_trunc('week', t): daft ['2023-12-28', '2023-12-28', '2024-01-04'], DuckDB ['2024-01-01', '2024-01-01', '2024-01-01']
substr(s, 1, 1): daft ['b', 'e', 'None'], DuckDB ['a', 'd', 'f']
substring(s, 1, 1): daft ['a', 'd', 'f'], DuckDB ['a', 'd', 'f']
expression: ['Mon 01 Jan in Thu 28 Dec', 'Wed 03 Jan in Thu 28 Dec', 'Thu 04 Jan in Thu 04 Jan']
week_of_year: [1, 1, 1]"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
