#!/usr/bin/env bash
# pyiceberg 0.12.0: `v != 7` returns rows whose v is null if their file is older than the column.
#
# A scan for `v != 7` leaves null out, as SQL does. After `add_column("v")` the rows of older files
# have null in v, and the same scan returns them. Once such a file is written again, by a delete of
# another row of it, they are gone from the result, though none of them was touched. And `not in`,
# the same test for a list, returns rows with null from new files as well.
#
# Guess before the run: null in v is null in v, whether it was stored or is missing.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyiceberg[sql-sqlite]==0.12.0' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import sys

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.types import LongType

catalog = SqlCatalog("c", uri=f"sqlite:///{sys.argv[1]}/c.db", warehouse=f"file://{sys.argv[1]}/w")
catalog.create_namespace("n")
old = pa.table({"k": [1, 2, 3]})
table = catalog.create_table("n.t", old.schema)
table.append(old)
with table.update_schema() as schema:
    schema.add_column("v", LongType())
table.append(pa.table({"k": [4, 5, 6], "v": [7, 8, None]}))


def show(when):
    for filter in ("v is null", "v != 7", "v not in (7)", "v not in (7, 9)"):
        found = sorted(table.scan(row_filter=filter).to_arrow()["k"].to_pylist())
        print(f"{when}, {filter}: {found}")


show("as added")
table.delete("k = 1")
show("after k = 1 is deleted")
PY
expected='as added, v is null: [1, 2, 3, 6]
as added, v != 7: [1, 2, 3, 5]
as added, v not in (7): [1, 2, 3, 5]
as added, v not in (7, 9): [1, 2, 3, 5, 6]
after k = 1 is deleted, v is null: [2, 3, 6]
after k = 1 is deleted, v != 7: [5]
after k = 1 is deleted, v not in (7): [5]
after k = 1 is deleted, v not in (7, 9): [2, 3, 5, 6]'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
