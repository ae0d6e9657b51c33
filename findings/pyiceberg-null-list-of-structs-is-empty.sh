#!/usr/bin/env bash
# pyiceberg 0.12.0: a null list or map of structs is written, and read, as an empty one.
#
# When rows are brought to a table's schema, a list whose elements are structs is made again from
# its offsets and its values, without its nulls. So `append` writes [] in the place of null, and a
# scan gives [] for a null that another writer has written. Lists of plain values keep their nulls.
#
# Guess before the run: null is null in every column.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyiceberg[sql-sqlite]==0.12.0' 'pyarrow==22.0.0'
cat >"$work/run.py" <<'PY'
import sys

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog

catalog = SqlCatalog("c", uri=f"sqlite:///{sys.argv[1]}/c.db", warehouse=f"file://{sys.argv[1]}/w")
catalog.create_namespace("n")
pair = pa.struct([("a", pa.int64())])
rows = pa.table(
    {
        "plain": pa.array([None], pa.list_(pa.int64())),
        "structs": pa.array([None], pa.list_(pair)),
        "map": pa.array([None], pa.map_(pa.string(), pair)),
    }
)
table = catalog.create_table("n.t", rows.schema)
table.append(rows)
(task,) = table.scan().plan_files()
written = pq.read_table(task.file.file_path.removeprefix("file://")).to_pylist()
print("written:", written[0])
ids = {field.name: field for field in table.schema().fields}


def numbered(name, type_):
    return pa.field(name, type_, metadata={"PARQUET:field_id": str(ids[name].field_id)})


inner = ids["structs"].field_type.element_field
leaf = pa.field("a", pa.int64(), metadata={"PARQUET:field_id": str(inner.field_type.fields[0].field_id)})
element = pa.field("element", pa.struct([leaf]), metadata={"PARQUET:field_id": str(inner.field_id)})
own = pa.table([pa.array([None], pa.list_(element))], schema=pa.schema([numbered("structs", pa.list_(element))]))
pq.write_table(own, task.file.file_path.removeprefix("file://"))
print("read:", table.scan(selected_fields=("structs",)).to_arrow().to_pylist()[0])
PY
expected="written: {'plain': None, 'structs': [], 'map': []}
read: {'structs': []}"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
