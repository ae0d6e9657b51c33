#!/usr/bin/env bash
# iceberg extension of DuckDB 1.5.5 and chdb 4.4.0: in a table by days, 1969 has no noon.
#
# pyiceberg writes a time of 15 November 1969 into the partition day -47, or month -2, of Iceberg's
# specification, which rounds down. With a filter on that very time DuckDB looks into another
# partition, unless the time begins its day, or its month; `v > '1969-11-14'` in a table by months
# leaves out the rest of November. Hours and years are right. chdb (ClickHouse) finds no time
# before 1970, by any transform. All rows are there without a filter, or without partitions.
#
# Guess before the run: partitions skip files that can not match.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyiceberg[sql-sqlite]==0.12.0' \
  'pyiceberg-core==0.11.0' 'pyarrow==26.0.1' 'duckdb==1.5.5' 'duckdb-extension-iceberg==1.5.5' \
  'duckdb-extension-avro==1.5.5' 'chdb==4.4.0'
cat >"$work/run.py" <<'PY'
import importlib.resources
import sys
from datetime import datetime

import chdb
import duckdb
import pyarrow as pa
from pyiceberg.catalog import load_catalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import DayTransform, HourTransform, MonthTransform, YearTransform
from pyiceberg.types import NestedField, TimestampType

con = duckdb.connect()
for name in ("avro", "iceberg"):
    (extension,) = importlib.resources.files(f"duckdb_extension_{name}").glob("**/*.duckdb_extension")
    con.execute(f"LOAD '{extension}'")
catalog = load_catalog("c", type="in-memory", warehouse=f"file://{sys.argv[1]}")
catalog.create_namespace("d")
times = [datetime(1969, 11, 15), datetime(1969, 11, 15, 12), datetime(1970, 1, 1, 12)]
for name, transform in (
    ("none", None),
    ("hour", HourTransform()),
    ("day", DayTransform()),
    ("month", MonthTransform()),
    ("year", YearTransform()),
):
    spec = PartitionSpec(*([PartitionField(1, 1000, transform, "p")] if transform else []))
    table = catalog.create_table(f"d.{name}", Schema(NestedField(1, "v", TimestampType())), partition_spec=spec)
    for time in times:
        table.append(pa.table({"v": pa.array([time], pa.timestamp("us"))}))
    print(f"{name}, {len(table.scan().to_arrow())} rows:")
    for condition in (*(f"v = '{time.isoformat()}'" for time in times), "v > '1969-11-14T00:00:00'"):
        here = con.execute(f"SELECT count(*) FROM iceberg_scan('{table.metadata_location}') WHERE {condition}")
        there = chdb.query(f"SELECT count() FROM icebergLocal('{sys.argv[1]}/d/{name}') WHERE {condition}")
        print(f"  {condition}: pyiceberg {len(table.scan(condition).to_arrow())}", end="")
        print(f", DuckDB {here.fetchone()[0]}, chdb {str(there).strip()}")
PY
expected="none, 3 rows:
  v = '1969-11-15T00:00:00': pyiceberg 1, DuckDB 1, chdb 1
  v = '1969-11-15T12:00:00': pyiceberg 1, DuckDB 1, chdb 1
  v = '1970-01-01T12:00:00': pyiceberg 1, DuckDB 1, chdb 1
  v > '1969-11-14T00:00:00': pyiceberg 3, DuckDB 3, chdb 3
hour, 3 rows:
  v = '1969-11-15T00:00:00': pyiceberg 1, DuckDB 1, chdb 0
  v = '1969-11-15T12:00:00': pyiceberg 1, DuckDB 1, chdb 0
  v = '1970-01-01T12:00:00': pyiceberg 1, DuckDB 1, chdb 1
  v > '1969-11-14T00:00:00': pyiceberg 3, DuckDB 3, chdb 3
day, 3 rows:
  v = '1969-11-15T00:00:00': pyiceberg 1, DuckDB 1, chdb 0
  v = '1969-11-15T12:00:00': pyiceberg 1, DuckDB 0, chdb 0
  v = '1970-01-01T12:00:00': pyiceberg 1, DuckDB 1, chdb 1
  v > '1969-11-14T00:00:00': pyiceberg 3, DuckDB 3, chdb 3
month, 3 rows:
  v = '1969-11-15T00:00:00': pyiceberg 1, DuckDB 0, chdb 0
  v = '1969-11-15T12:00:00': pyiceberg 1, DuckDB 0, chdb 0
  v = '1970-01-01T12:00:00': pyiceberg 1, DuckDB 1, chdb 1
  v > '1969-11-14T00:00:00': pyiceberg 3, DuckDB 1, chdb 3
year, 3 rows:
  v = '1969-11-15T00:00:00': pyiceberg 1, DuckDB 1, chdb 0
  v = '1969-11-15T12:00:00': pyiceberg 1, DuckDB 1, chdb 0
  v = '1970-01-01T12:00:00': pyiceberg 1, DuckDB 1, chdb 1
  v > '1969-11-14T00:00:00': pyiceberg 3, DuckDB 3, chdb 3"
cd "$work" # the folder that chdb may read
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
