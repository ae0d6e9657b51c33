#!/usr/bin/env bash
# ducklake extension of DuckDB 1.5.5: a flush of inlined rows changes sums, intervals and times.
#
# DuckLake keeps the rows of small inserts in its catalog, and `ducklake_flush_inlined_data` or
# CHECKPOINT moves them to a Parquet file. Parquet has no column for some of DuckDB's types: the
# file has a HUGEINT as a double, an INTERVAL in milliseconds, a TIMETZ without its zone. Reading
# casts them back, so that the column has its type still, and other values. HUGEINT is the type of
# each sum of whole numbers: a filter finds another sum than the table was made with. A larger
# insert writes a file at once, and changes the values at once. No error or warning.
#
# Guess before the run: a flush changes where rows are, or raises an error.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'duckdb==1.5.5' 'duckdb-extension-ducklake==1.5.5'
cat >"$work/run.py" <<'PY'
import importlib.resources
import sys

import duckdb

con = duckdb.connect()
(extension,) = importlib.resources.files("duckdb_extension_ducklake").glob("**/*.duckdb_extension")
con.execute(f"LOAD '{extension}'")
con.execute(f"ATTACH 'ducklake:{sys.argv[1]}/lake' AS lake")
con.execute("USE lake")
con.execute("CREATE TABLE payments AS SELECT unnest([9007199254740992, 1]) AS cents")
con.execute("CREATE TABLE total AS SELECT sum(cents) AS v FROM payments")
con.execute("CREATE TABLE pause AS SELECT INTERVAL '1.234567 seconds' AS v")
con.execute("CREATE TABLE opens AS SELECT TIMETZ '12:00:00+05' AS v")
for when in ("inlined", "flushed"):
    if when == "flushed":
        con.execute("CHECKPOINT lake")
    for table, value in (
        ("total", "9007199254740993"),
        ("pause", "INTERVAL '1.234567 seconds'"),
        ("opens", "TIMETZ '12:00:00+05'"),
    ):
        query = f"SELECT typeof(v), v::VARCHAR, v = {value} FROM {table}"
        print(f"{when}:", *con.execute(query).fetchone())
PY
expected='inlined: HUGEINT 9007199254740993 True
inlined: INTERVAL 00:00:01.234567 True
inlined: TIME WITH TIME ZONE 12:00:00+05 True
flushed: HUGEINT 9007199254740992 False
flushed: INTERVAL 00:00:01.234 False
flushed: TIME WITH TIME ZONE 07:00:00+00 False'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
