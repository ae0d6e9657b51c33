#!/usr/bin/env bash
# pyiceberg 0.12.0: whether `delete("v != 1")` deletes a row with null depends on its file.
#
# A scan for `v != 1` leaves null out. The delete of it takes whole files away if the bounds of a file
# say that all of its rows match, and there null counts as a match; other files are read and written
# again, and there it does not. So the same rows and the same statement leave the null row in one
# layout of files, and delete it in another. Compaction changes what a later delete does.
#
# Guess before the run: a delete removes the rows that a scan with its filter shows.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyiceberg[sql-sqlite]==0.12.0' 'pyarrow==22.0.0'
cat >"$work/run.py" <<'PY'
import sys

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog

catalog = SqlCatalog("c", uri=f"sqlite:///{sys.argv[1]}/c.db", warehouse=f"file://{sys.argv[1]}/w")
catalog.create_namespace("n")
rows = pa.table({"v": pa.array([1, 2, None], pa.int64())})
for name, files in (("one file", [rows]), ("two files", [rows.slice(0, 1), rows.slice(1)])):
    table = catalog.create_table(f"n.{name.replace(' ', '_')}", rows.schema)
    for file in files:
        table.append(file)
    found = table.scan(row_filter="v != 1").to_arrow()["v"].to_pylist()
    table.delete("v != 1")
    left = table.scan().to_arrow()["v"].to_pylist()
    print(f"{name}: the scan finds {found}, the delete leaves {left}")
PY
expected='one file: the scan finds [2], the delete leaves [1, None]
two files: the scan finds [2], the delete leaves [1]'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
