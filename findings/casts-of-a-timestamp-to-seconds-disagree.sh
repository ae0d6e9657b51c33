#!/usr/bin/env bash
# pyarrow 26.0.1, DataFusion 55.0.0, DuckDB 2.0.1: three casts of times to seconds, three results.
#
# Half a second before and after each full one, from two seconds before 1970 to two after. pyarrow
# and DataFusion cut towards 1970, so before it they cast upwards, and the second at 1970 gets the
# rows of two. DuckDB rounds to the nearest. polars 2.1.0 cuts downwards. DataFusion's and DuckDB's
# own date_trunc cut downwards, too, and do not agree with their casts. Writers of tables cast like
# that: deltalake 1.6.6 stores nanoseconds as microseconds, cut towards 1970.
#
# Guess before the run: all cut downwards, as date_trunc does.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyarrow==26.0.1' 'datafusion==55.0.0' 'duckdb==2.0.1' 'polars==2.1.0' 'deltalake==1.6.6'
cat >"$work/run.py" <<'PY'
import sys

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from datafusion import SessionContext
from deltalake import DeltaTable, write_deltalake

times = pa.array([-1_500, -500, 500, 1_500], pa.timestamp("ms"))
t = pa.table({"t": times})
context = SessionContext()
context.from_arrow(t, name="t")


def datafusion(expression):
    found = context.sql(f"SELECT CAST(CAST({expression} AS TIMESTAMP) AS BIGINT) AS v FROM t")
    return [value // 10**9 for value in found.to_pydict()["v"]]


def in_duckdb(expression):
    return [int(row[0]) for row in duckdb.sql(f"SELECT epoch({expression}) FROM t").fetchall()]


print("milliseconds:", [-1500, -500, 500, 1500])
print("pyarrow cast:", pc.cast(times, pa.timestamp("s"), safe=False).cast(pa.int64()).to_pylist())
print("DataFusion cast:", datafusion("CAST(t AS TIMESTAMP(0))"))
print("DataFusion date_trunc:", datafusion("date_trunc('second', t)"))
print("DuckDB cast:", in_duckdb("t::TIMESTAMP_S"))
print("DuckDB date_trunc:", in_duckdb("date_trunc('second', t)"))
nanos = pa.array([-1_500, -500, 500, 1_500], pa.timestamp("ns"))
print("nanoseconds:", [-1500, -500, 500, 1500])
micros = pl.from_arrow(nanos).cast(pl.Datetime("us"))
print("polars cast to microseconds:", micros.to_physical().to_list())
write_deltalake(f"{sys.argv[1]}/t", pa.table({"t": nanos}))
stored = DeltaTable(f"{sys.argv[1]}/t").to_pyarrow_table()["t"]
print("deltalake stores microseconds:", stored.cast(pa.int64()).to_pylist())
PY
expected='milliseconds: [-1500, -500, 500, 1500]
pyarrow cast: [-1, 0, 0, 1]
DataFusion cast: [-1, 0, 0, 1]
DataFusion date_trunc: [-2, -1, 0, 1]
DuckDB cast: [-2, -1, 1, 2]
DuckDB date_trunc: [-2, -1, 0, 1]
nanoseconds: [-1500, -500, 500, 1500]
polars cast to microseconds: [-2, -1, 0, 1]
deltalake stores microseconds: [-1, 0, 0, 1]'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
