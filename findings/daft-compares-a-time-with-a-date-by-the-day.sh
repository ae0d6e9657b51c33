#!/usr/bin/env bash
# daft 0.7.26: `t = DATE '2024-02-29'` is true at noon, and `t > DATE '2024-02-29'` false.
#
# SQL takes a date beside a timestamp for its midnight. daft cuts the timestamp to its day instead:
# all times of a day are equal to the day, `<=` has the whole day, and `>` leaves it out. So the
# usual range of a day, `t >= DATE 'd' AND t < DATE 'd + 1'`, is right, and those with `>` and `<=`
# move by a day. The same holds beside a column of dates. DuckDB 2.0.1 and polars 2.1.0 take
# midnight.
#
# Guess before the run: midnight.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'daft==0.7.26' 'duckdb==2.0.1' 'polars==2.1.0' 'pyarrow==25.0.1'
cat >"$work/run.py" <<'PY'
from datetime import date, datetime

import daft
import duckdb
import polars as pl
import pyarrow as pa

times = [datetime(2024, 2, 28, 12), datetime(2024, 2, 29), datetime(2024, 2, 29, 12)]
t = pa.table({"t": times, "d": [date(2024, 2, 29)] * 3})
frames = pl.SQLContext(t=pl.from_arrow(t))
rows = daft.from_arrow(t)
for where in ("t = d", "t > d", "t <= d", "t = DATE '2024-02-29'", "t > DATE '2024-02-29'"):
    text = f"SELECT t FROM t WHERE {where} ORDER BY t"
    found = {
        "daft": daft.sql(text, t=rows).to_pydict()["t"],
        "DuckDB": [row[0] for row in duckdb.sql(text).fetchall()],
        "polars": frames.execute(text, eager=True)["t"].to_list(),
    }
    print(where)
    for name, values in found.items():
        print(f"  {name}: {[f'{v:%d %H:%M}' for v in values]}")
PY
expected="t = d
  daft: ['29 00:00', '29 12:00']
  DuckDB: ['29 00:00']
  polars: ['29 00:00']
t > d
  daft: []
  DuckDB: ['29 12:00']
  polars: ['29 12:00']
t <= d
  daft: ['28 12:00', '29 00:00', '29 12:00']
  DuckDB: ['28 12:00', '29 00:00']
  polars: ['28 12:00', '29 00:00']
t = DATE '2024-02-29'
  daft: ['29 00:00', '29 12:00']
  DuckDB: ['29 00:00']
  polars: ['29 00:00']
t > DATE '2024-02-29'
  daft: []
  DuckDB: ['29 12:00']
  polars: ['29 12:00']"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
