#!/usr/bin/env bash
# chdb 4.4.0 (ClickHouse 26.9): in a dictionary column of Arrow, a null value is read as ''.
#
# Arrow may mark a null of a dictionary-encoded column at the row, or have it as a value of the
# dictionary, as pyarrow's `dictionary_encode("encode")` makes it. chdb reads the first as null, and
# the second as the empty text: the row is not found by IS NULL, and is counted. A join with ''
# finds it. Both kinds may be in one column. DuckDB 2.0.1, DataFusion 55.0.0 and polars 2.1.0 read
# null from both.
#
# Guess before the run: null, or an error.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'chdb==4.4.0' 'duckdb==2.0.1' 'datafusion==55.0.0' 'polars==2.1.0' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import chdb
import duckdb
import polars as pl
import pyarrow as pa
from datafusion import SessionContext

values = pa.array(["a", None, "b", None])
for encoding in ("mask", "encode"):
    v = values.dictionary_encode(encoding)
    t = pa.table({"i": [1, 2, 3, 4], "v": v})
    print(f"{encoding}: rows {v.indices.to_pylist()} of values {v.dictionary.to_pylist()}")
    context = SessionContext()
    context.from_arrow(t, name="t")
    frames = pl.SQLContext(t=pl.from_arrow(t))
    for where in ("v IS NULL", "v = ''"):
        text = f"SELECT i FROM t WHERE {where} ORDER BY i"
        rows = str(chdb.query(text.replace("FROM t", "FROM Python(t)"), "TabSeparated")).split()
        found = {
            "chdb": [int(row) for row in rows],
            "DuckDB": [row[0] for row in duckdb.sql(text).fetchall()],
            "DataFusion": context.sql(text).to_pydict()["i"],
            "polars": frames.execute(text, eager=True)["i"].to_list(),
        }
        print(f"  {where}: {', '.join(f'{name} {rows}' for name, rows in found.items())}")
PY
expected="mask: rows [0, None, 1, None] of values ['a', 'b']
  v IS NULL: chdb [2, 4], DuckDB [2, 4], DataFusion [2, 4], polars [2, 4]
  v = '': chdb [], DuckDB [], DataFusion [], polars []
encode: rows [0, 1, 2, 1] of values ['a', None, 'b']
  v IS NULL: chdb [], DuckDB [2, 4], DataFusion [2, 4], polars [2, 4]
  v = '': chdb [2, 4], DuckDB [], DataFusion [], polars []"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
