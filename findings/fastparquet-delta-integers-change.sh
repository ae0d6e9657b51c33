#!/usr/bin/env bash
# DuckDB 2.0.1 writes, fastparquet 2026.9.0 reads: whole numbers far apart are other numbers.
#
# DELTA_BINARY_PACKED stores the steps from one whole number to the next. DuckDB writes it with
# parquet_version V2, pyarrow on demand. fastparquet reads steps that need few bits, as those of
# counters, and gets steps of many bits wrong, without an error: times in microseconds that are days
# apart, and ids. All later values of the block are off by that. Small tests with 1, 2, 3 pass.
# pyarrow 26.0.1 and polars 2.1.0 read all of them right.
#
# Guess before the run: the same numbers, or an error as for other encodings that it lacks.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'fastparquet==2026.9.0' 'duckdb==2.0.1' 'pyarrow==26.0.1' 'pandas==3.1.1' 'polars==2.1.0'
cat >"$work/run.py" <<'PY'
import sys

import duckdb
import fastparquet
import polars as pl
import pyarrow.parquet as pq

path = f"{sys.argv[1]}/rows.parquet"
for name, values in (
    ("1 to 2000", "i + 1"),
    ("squares", "i * i"),
    ("seconds, days apart", "1700000000 + (i * 7919 % 2003) * 86400"),
    ("microseconds, days apart", "1700000000000000 + (i * 7919 % 2003) * 86400000000"),
    ("timestamps, days apart", "make_timestamp(1700000000000000 + (i * 7919 % 2003) * 86400000000)"),
):
    for version in ("V1", "V2"):
        rows = f"SELECT {values} AS v FROM range(2000) AS t(i) ORDER BY i"
        duckdb.sql(f"COPY ({rows}) TO '{path}' (FORMAT parquet, PARQUET_VERSION {version})")
        wanted = [row[0] for row in duckdb.sql(rows).fetchall()]
        wrong = []
        for column in (
            fastparquet.ParquetFile(path).to_pandas()["v"].to_list(),
            pq.read_table(path)["v"].to_pylist(),
            pl.read_parquet(path)["v"].to_list(),
        ):
            wrong.append(sum(a != b for a, b in zip(column, wanted, strict=True)))
        print(f"{name}, {version}: wrong values of 2000: fastparquet {wrong[0]}, others {wrong[1:]}")
PY
expected='1 to 2000, V1: wrong values of 2000: fastparquet 0, others [0, 0]
1 to 2000, V2: wrong values of 2000: fastparquet 0, others [0, 0]
squares, V1: wrong values of 2000: fastparquet 0, others [0, 0]
squares, V2: wrong values of 2000: fastparquet 0, others [0, 0]
seconds, days apart, V1: wrong values of 2000: fastparquet 0, others [0, 0]
seconds, days apart, V2: wrong values of 2000: fastparquet 0, others [0, 0]
microseconds, days apart, V1: wrong values of 2000: fastparquet 0, others [0, 0]
microseconds, days apart, V2: wrong values of 2000: fastparquet 1978, others [0, 0]
timestamps, days apart, V1: wrong values of 2000: fastparquet 0, others [0, 0]
timestamps, days apart, V2: wrong values of 2000: fastparquet 1978, others [0, 0]'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
