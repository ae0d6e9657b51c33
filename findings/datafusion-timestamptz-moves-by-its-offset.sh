#!/usr/bin/env bash
# DataFusion 55.0.0: TIMESTAMPTZ '2024-06-01 10:00:00+00' AT TIME ZONE 'Europe/Berlin' is 08:00 UTC.
#
# A literal of TIMESTAMP WITH TIME ZONE gets a type without a zone, unless the setting
# datafusion.execution.time_zone has one, which is empty by default. Its offset is used to find the
# time in UTC, and forgotten. AT TIME ZONE takes a time without a zone for a clock on the wall in
# Berlin, so the instant moves by two hours, and the day of 23:30 UTC is the old one. Compared with
# a column of UTC, or as a column with a zone, the same text is right. DuckDB 2.0.1 and PostgreSQL
# give 12:00 in Berlin.
#
# Guess before the run: WITH TIME ZONE keeps the instant.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'datafusion==55.0.0' 'duckdb==2.0.1' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import duckdb
import pyarrow as pa
from datafusion import SessionConfig, SessionContext

empty = SessionContext()
utc = SessionContext(SessionConfig({"datafusion.execution.time_zone": "UTC"}))
duckdb.sql("SET TimeZone = 'UTC'")
late = "TIMESTAMPTZ '2024-06-01 23:30:00+00' AT TIME ZONE 'Europe/Berlin'"
for text in (f"EXTRACT(hour FROM {late})", f"CAST({late} AS DATE)", f"date_trunc('day', {late})"):
    print(text.replace(late, "..."))
    for name, context in (("DataFusion, no zone", empty), ("DataFusion, UTC", utc)):
        found = context.sql(f"SELECT {text} AS v").to_arrow_table()["v"][0].as_py()
        print(f"  {name}: {found}")
    print("  DuckDB:", duckdb.sql(f"SELECT {text}").fetchall()[0][0])
for name, context in (("no zone", empty), ("UTC", utc)):
    found = context.sql(f"SELECT arrow_typeof({late.split(' AT')[0]}) AS v").to_pydict()["v"][0]
    print(f"type with {name}: {found}")
PY
expected="EXTRACT(hour FROM ...)
  DataFusion, no zone: 23
  DataFusion, UTC: 1
  DuckDB: 1
CAST(... AS DATE)
  DataFusion, no zone: 2024-06-01
  DataFusion, UTC: 2024-06-02
  DuckDB: 2024-06-02
date_trunc('day', ...)
  DataFusion, no zone: 2024-06-01 00:00:00+02:00
  DataFusion, UTC: 2024-06-02 00:00:00+02:00
  DuckDB: 2024-06-02 00:00:00
type with no zone: Timestamp(ns)
type with UTC: Timestamp(ns, \"UTC\")"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
