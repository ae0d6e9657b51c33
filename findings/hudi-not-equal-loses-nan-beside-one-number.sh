#!/usr/bin/env bash
# hudi 0.5.0 (hudi-rs): `x != 5` loses the NaN in a file of NaN and 5.0, and `price = 1.105` finds 1.11.
#
# hudi-rs filters rows after it has skipped files by the minimum and maximum in their footers; its
# documentation calls the filter of the rows the authoritative one. As rows, NaN equals itself and is
# above all numbers. The bounds in a Parquet file leave NaN out, so the file of NaN and 5.0 looks like
# one of 5.0 only: `!=`, `>` and `= NaN` miss a NaN that they find in a file without numbers, and
# `not in` reads the file. -0.0 is not equal to 0.0, but less. The value of a filter is cast to the
# column's type, decimals by rounding: 1.105 equals 1.11, and 1.11 is not greater than 1.105.
#
# Guess before the run: which rows a filter has does not depend on their file; nothing equals 1.105.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'hudi==0.5.0' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import json
import os
import sys
from decimal import Decimal
from math import nan

import pyarrow as pa
import pyarrow.parquet as pq
from hudi import HudiReadOptions, HudiTableBuilder

# A copy-on-write table without a metadata table, of one commit: its properties, its Parquet files
# with Hudi's own columns, and the commit that names them.
ROOT, INSTANT = f"{sys.argv[1]}/table", "20240101000000000"
OWN = ["commit_time", "commit_seqno", "record_key", "partition_path", "file_name"]
PROPERTIES = {
    "hoodie.table.name": "t",
    "hoodie.table.type": "COPY_ON_WRITE",
    "hoodie.table.version": 6,
    "hoodie.timeline.layout.version": 1,
    "hoodie.table.base.file.format": "PARQUET",
    "hoodie.table.recordkey.fields": "id",
    "hoodie.table.keygenerator.class": "org.apache.hudi.keygen.NonpartitionedKeyGenerator",
    "hoodie.populate.meta.fields": "true",
}
FILES = (
    {1: (nan, "1.10"), 2: (5.0, "1.11")},
    {3: (nan, "2.00")},
    {4: (-0.0, "3.00"), 5: (-7.0, "3.00")},
)
os.makedirs(f"{ROOT}/.hoodie")
with open(f"{ROOT}/.hoodie/hoodie.properties", "w") as file:
    file.writelines(f"{key}={value}\n" for key, value in PROPERTIES.items())
written = []
for number, rows in enumerate(FILES):
    group = f"{number:08}-0000-0000-0000-000000000000-0"
    name = f"{group}_0-0-0_{INSTANT}.parquet"
    own = [(INSTANT, f"{INSTANT}_{number}_{row}", str(row), "", name) for row in rows]
    columns = {f"_hoodie_{field}": pa.array(v) for field, v in zip(OWN, zip(*own))}
    columns["id"] = pa.array(list(rows), pa.int64())
    columns["x"] = pa.array([x for x, _ in rows.values()])
    columns["price"] = pa.array([Decimal(p) for _, p in rows.values()], pa.decimal128(10, 2))
    pq.write_table(pa.table(columns), f"{ROOT}/{name}")
    written.append({"fileId": group, "path": name, "partitionPath": "", "numWrites": len(rows)})
price = {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}
types = [(f"_hoodie_{field}", "string") for field in OWN]
types += [("id", "long"), ("x", "double"), ("price", price)]
fields = [{"name": field, "type": ["null", t], "default": None} for field, t in types]
schema = json.dumps({"type": "record", "name": "t", "fields": fields})
commit = {"partitionToWriteStats": {"": written}, "extraMetadata": {"schema": schema}}
with open(f"{ROOT}/.hoodie/{INSTANT}.commit", "w") as file:
    json.dump({**commit, "operationType": "INSERT", "compacted": False}, file)

table = HudiTableBuilder.from_base_uri(ROOT).build()
for condition in (
    None,
    ("x", "!=", "5"), ("x", "not in", "5"), ("x", ">", "6"), ("x", ">", "4"), ("x", "=", "NaN"),
    ("x", "=", "0"), ("x", "<", "0"),
    ("price", "=", "1.105"), ("price", ">", "1.105"), ("price", ">=", "1.105"),
):  # fmt: skip
    batches = table.read(HudiReadOptions(filters=[condition] if condition else []))
    ids = sorted(v for batch in batches for v in pa.table(batch)["id"].to_pylist())
    print(f"{' '.join(condition or ('all',))}: {ids}")
PY
expected='all: [1, 2, 3, 4, 5]
x != 5: [3, 4, 5]
x not in 5: [1, 3, 4, 5]
x > 6: [3]
x > 4: [1, 2, 3]
x = NaN: [3]
x = 0: []
x < 0: [4, 5]
price = 1.105: [2]
price > 1.105: [3, 4, 5]
price >= 1.105: [2, 3, 4, 5]'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
