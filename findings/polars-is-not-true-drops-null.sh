#!/usr/bin/env bash
# polars 2.1.0: in its SQL, `b IS NOT TRUE` is null where b is null.
#
# SQL has IS [NOT] TRUE so that a test of a boolean is never null: null IS NOT TRUE is true, and
# null IS TRUE is false. polars compares with the constant instead, so rows with null pass neither
# `b IS TRUE` nor `b IS NOT TRUE`, and fall out of both halves of a split. `b IS DISTINCT FROM true`
# is the same test in other words, and right. DuckDB 2.0.1 gives the standard's rows for both.
#
# Guess before the run: each row passes either IS TRUE or IS NOT TRUE.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'polars==2.1.0' 'duckdb==2.0.1' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import duckdb
import polars as pl

t = pl.DataFrame({"v": [1, 2, 3], "b": [True, False, None]})
for test in ("IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE", "IS DISTINCT FROM true"):
    text = f"SELECT v FROM t WHERE b {test} ORDER BY v"
    here = pl.SQLContext(t=t).execute(text, eager=True)["v"].to_list()
    there = [row[0] for row in duckdb.sql(text).fetchall()]
    print(f"b {test}: polars {here}, DuckDB {there}")
PY
expected='b IS TRUE: polars [1], DuckDB [1]
b IS NOT TRUE: polars [2], DuckDB [2, 3]
b IS FALSE: polars [2], DuckDB [2]
b IS NOT FALSE: polars [1], DuckDB [1, 3]
b IS DISTINCT FROM true: polars [2, 3], DuckDB [2, 3]'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
