#!/usr/bin/env bash
# polars 2.1.0: a time of 1 ns past midnight `==` midnight, and is not in [midnight].
#
# To compare times of two units polars casts the finer one to the coarser, and a Python datetime, or
# TIMESTAMP in its SQL, counts in microseconds. So a column of nanoseconds loses its last three
# digits before `==`, `>` and join_where: up to 999 ns late is on time, and `>` misses the row.
# is_in keeps the digits, and so does a comparison with a date, so the same test in other words
# finds other rows. Rows that are read `> last_seen` from a log with nanoseconds are skipped.
#
# Guess before the run: exact, in the finer unit, as numbers of two types are compared.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'polars==2.1.0' 'duckdb==2.0.1' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
from datetime import date, datetime

import duckdb
import polars as pl

times = pl.Series([-1, 0, 1, 999, 1000]).cast(pl.Datetime("ns"))
rows = pl.DataFrame({"ns": [-1, 0, 1, 999, 1000], "t": times})
midnight = datetime(1970, 1, 1)
other = pl.DataFrame({"u": [midnight]})
late = rows.join_where(other, pl.col("t") > pl.col("u"))
print("== midnight:", rows.filter(pl.col("t") == midnight)["ns"].to_list())
print("in [midnight]:", rows.filter(pl.col("t").is_in([midnight]))["ns"].to_list())
print("> midnight:", rows.filter(pl.col("t") > midnight)["ns"].to_list())
print("> the date:", rows.filter(pl.col("t") > date(1970, 1, 1))["ns"].to_list())
print("join_where >:", late["ns"].to_list())
text = "SELECT ns FROM rows WHERE t > TIMESTAMP '1970-01-01 00:00:00'"
print("SQL >:", rows.sql(text.replace("rows", "self"))["ns"].to_list())
arrow = rows.to_arrow()
print("DuckDB >:", [row[0] for row in duckdb.sql(text.replace("rows", "arrow")).fetchall()])
PY
expected='== midnight: [0, 1, 999]
in [midnight]: [0]
> midnight: [1000]
> the date: [1, 999, 1000]
join_where >: [1000]
SQL >: [1000]
DuckDB >: [1, 999, 1000]'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
