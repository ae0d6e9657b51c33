#!/usr/bin/env bash
# chdb 4.4.0 (ClickHouse 26.9): of many Parquet files, those of a wider type are cut to one file's.
#
# `file('*.parquet')` takes the types of a table from one of its files, by default, here the last by
# name. A value of another file that does not fit is not refused: the long 4294967303 read as an int
# is 7, the decimal 1.15 read with scale 1 is 1.1, and the unsigned byte 200 read as a signed one is
# -56. Filters ask the bounds of the old type: a scan returns 7, and `v = 7` does not. pyarrow
# 26.0.1 raises an error for each. With `schema_inference_mode = 'union'` chdb reads all of them
# right. So a file that comes later, with a narrower column, changes what old rows are.
#
# Guess before the run: an error, or the wider type.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'chdb==4.4.0' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import os
import sys
from decimal import Decimal

import chdb
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq

pairs = (
    (pa.array([2**32 + 7], pa.int64()), pa.array([1], pa.int32()), "7"),
    (pa.array([Decimal("1.15")]), pa.array([Decimal("2.5")]), "1.1"),
    (pa.array([200], pa.uint8()), pa.array([1], pa.int8()), "-56"),
)
for number, (old, new, value) in enumerate(pairs):
    folder = f"{sys.argv[1]}/{number}"
    os.mkdir(folder)
    for name, values in (("a", old), ("b", new)):
        pq.write_table(pa.table({"v": values}), f"{folder}/{name}.parquet")
    print(f"{old.type} {old[0]}, then {new.type} {new[0]}")
    source = f"SELECT v FROM file('{folder}/*.parquet', 'Parquet')"
    for text in (
        f"{source} ORDER BY v",
        f"{source} WHERE v = {value}",
        f"{source} ORDER BY v SETTINGS schema_inference_mode = 'union'",
    ):
        found = str(chdb.query(text, "TabSeparated")).split()
        print(f"  chdb{text.replace(source, '')}: {found}")
    for name in ("a", "b"):
        try:
            schema = pq.read_schema(f"{folder}/{name}.parquet")
            found = [str(v) for v in pa.dataset.dataset(folder, schema=schema).to_table()["v"]]
        except pa.ArrowInvalid as error:
            found = str(error)
        print(f"  pyarrow with the type of {name}: {found}")
PY
expected="int64 4294967303, then int32 1
  chdb ORDER BY v: ['1', '7']
  chdb WHERE v = 7: []
  chdb ORDER BY v SETTINGS schema_inference_mode = 'union': ['1', '4294967303']
  pyarrow with the type of a: ['4294967303', '1']
  pyarrow with the type of b: Integer value 4294967303 not in range: -2147483648 to 2147483647
decimal128(3, 2) 1.15, then decimal128(2, 1) 2.5
  chdb ORDER BY v: ['1.1', '2.5']
  chdb WHERE v = 1.1: ['1.1']
  chdb ORDER BY v SETTINGS schema_inference_mode = 'union': ['1.15', '2.5']
  pyarrow with the type of a: ['1.15', '2.50']
  pyarrow with the type of b: Rescaling Decimal value would cause data loss
uint8 200, then int8 1
  chdb ORDER BY v: ['-56', '1']
  chdb WHERE v = -56: []
  chdb ORDER BY v SETTINGS schema_inference_mode = 'union': ['1', '200']
  pyarrow with the type of a: ['200', '1']
  pyarrow with the type of b: Integer value 200 not in range: 0 to 127"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
