#!/usr/bin/env bash
# DataFusion 55.0.0 writes, DuckDB 2.0.1 reads: `v = 0.5` misses numbers of two bytes.
#
# Parquet keeps half floats as two bytes, and a Bloom filter holds the hash of these. DuckDB reads
# the column as FLOAT, and asks the filter for the hash of the four bytes that the number has there.
# They never meet, so DuckDB skips each row group whose least and greatest values do not settle it,
# and finds nothing. `v > 0.4 AND v < 0.6` finds the rows. Without Bloom filters, and for all other
# types of numbers, `=` finds them, too. DataFusion finds them in its own file.
#
# Guess before the run: a Bloom filter may have false "maybe" answers, and no false "no".
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'duckdb==2.0.1' 'datafusion==55.0.0' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import sys

import duckdb
import pyarrow as pa
from datafusion import SessionContext

rows = pa.table({"v": pa.array([0.25, 0.5, 0.75], pa.float16())})
context = SessionContext()
context.from_arrow(rows, name="t")
for bloom in ("false", "true"):
    file = f"{sys.argv[1]}/{bloom}.parquet"
    options = f"'format.bloom_filter_on_write' '{bloom}'"
    context.sql(f"COPY t TO '{file}' STORED AS PARQUET OPTIONS ({options})").collect()
    print(f"Bloom filters: {bloom}")
    for where in ("v = 0.5", "v IN (0.5, 9)", "v > 0.4 AND v < 0.6"):
        text = f"SELECT count(*) FROM '{file}' WHERE {where}"
        print(f"  DuckDB {where}: {duckdb.sql(text).fetchall()[0][0]} rows")
    context.register_parquet(bloom, file)
    text = f"SELECT count(*) AS n FROM \"{bloom}\" WHERE v = 0.5"
    print(f"  DataFusion v = 0.5: {context.sql(text).to_pydict()['n'][0]} rows")
PY
expected="Bloom filters: false
  DuckDB v = 0.5: 1 rows
  DuckDB v IN (0.5, 9): 1 rows
  DuckDB v > 0.4 AND v < 0.6: 1 rows
  DataFusion v = 0.5: 1 rows
Bloom filters: true
  DuckDB v = 0.5: 0 rows
  DuckDB v IN (0.5, 9): 0 rows
  DuckDB v > 0.4 AND v < 0.6: 1 rows
  DataFusion v = 0.5: 1 rows"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
