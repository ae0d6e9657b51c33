#!/usr/bin/env bash
# DataFusion 55.0.0: EXCEPT ALL and INTERSECT ALL do not count how often a row is there.
#
# A bag with a row three times EXCEPT ALL one with it once has it twice; INTERSECT ALL takes the
# lesser number. DataFusion makes an anti join and a semi join of them: EXCEPT ALL drops all three
# rows, and INTERSECT ALL keeps all three, even more than the second bag has. INTERSECT ALL depends
# on the order of its sides. Checks such as "(a EXCEPT ALL b) and (b EXCEPT ALL a) are empty, so
# both are equal", the usual test of a view against its query, pass for bags that differ. DuckDB
# 2.0.1 and polars 2.1.0 count.
#
# Guess before the run: ALL means that duplicates count.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'datafusion==55.0.0' 'duckdb==2.0.1' 'polars==2.1.0' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import duckdb
import polars as pl
import pyarrow as pa
from datafusion import SessionContext

a, b = pa.table({"v": [7, 7, 7, 8]}), pa.table({"v": [7, 8, 8]})
context = SessionContext()
context.from_arrow(a, name="a")
context.from_arrow(b, name="b")
frames = pl.SQLContext(a=pl.from_arrow(a), b=pl.from_arrow(b))
for first, second in ("ab", "ba"):
    for word in ("EXCEPT", "INTERSECT"):
        text = f"SELECT v FROM {first} {word} ALL SELECT v FROM {second}"
        print(text)
        print("  DataFusion", sorted(row["v"] for row in context.sql(text).to_pylist()))
        print("  DuckDB    ", sorted(row[0] for row in duckdb.sql(text).fetchall()))
        print("  polars    ", sorted(frames.execute(text, eager=True)["v"]))
PY
expected="SELECT v FROM a EXCEPT ALL SELECT v FROM b
  DataFusion []
  DuckDB     [7, 7]
  polars     [7, 7]
SELECT v FROM a INTERSECT ALL SELECT v FROM b
  DataFusion [7, 7, 7, 8]
  DuckDB     [7, 8]
  polars     [7, 8]
SELECT v FROM b EXCEPT ALL SELECT v FROM a
  DataFusion []
  DuckDB     [8]
  polars     [8]
SELECT v FROM b INTERSECT ALL SELECT v FROM a
  DataFusion [7, 8, 8]
  DuckDB     [7, 8]
  polars     [7, 8]"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
