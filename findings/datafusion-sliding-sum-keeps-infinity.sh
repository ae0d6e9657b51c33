#!/usr/bin/env bash
# DataFusion 55.0.0: a sum over a sliding window stays wrong after a value has left the window.
#
# For `ROWS BETWEEN 1 PRECEDING AND CURRENT ROW` DataFusion keeps one sum, adds the row that comes,
# and subtracts the row that goes. After an infinity or a NaN has gone, each later sum and average
# of the partition is NaN. After 1E16 has gone, all later sums are 1 too small. DuckDB, on the same
# rows, and DataFusion's own min, max and median forget what has left the window.
#
# Guess before the run: the sum of two rows depends on these two rows only.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'duckdb==2.0.1' 'datafusion==55.0.0' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import math

import duckdb
import pyarrow as pa
from datafusion import SessionContext

for first in (math.inf, math.nan, 1e16):
    t = pa.table({"i": [0, 1, 2, 3], "x": [first, 1.0, 2.0, 3.0]})
    context = SessionContext()
    context.from_arrow(t, name="t")
    for name in ("sum", "avg", "max"):
        window = "OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"
        text = f"SELECT {name}(x) {window} AS v FROM t ORDER BY i"
        found = context.sql(text).to_pydict()["v"][2:]
        print(f"{first} before 1, 2, 3: {name} {found},", end=" ")
        print(f"DuckDB {[row[0] for row in duckdb.sql(text).fetchall()[2:]]}")
PY
expected='inf before 1, 2, 3: sum [nan, nan], DuckDB [3.0, 5.0]
inf before 1, 2, 3: avg [nan, nan], DuckDB [1.5, 2.5]
inf before 1, 2, 3: max [2.0, 3.0], DuckDB [2.0, 3.0]
nan before 1, 2, 3: sum [nan, nan], DuckDB [3.0, 5.0]
nan before 1, 2, 3: avg [nan, nan], DuckDB [1.5, 2.5]
nan before 1, 2, 3: max [2.0, 3.0], DuckDB [2.0, 3.0]
1e+16 before 1, 2, 3: sum [2.0, 4.0], DuckDB [3.0, 5.0]
1e+16 before 1, 2, 3: avg [1.0, 2.0], DuckDB [1.5, 2.5]
1e+16 before 1, 2, 3: max [2.0, 3.0], DuckDB [2.0, 3.0]'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
