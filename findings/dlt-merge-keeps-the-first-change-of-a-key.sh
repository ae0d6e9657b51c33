#!/usr/bin/env bash
# dlt 1.31.0: of several changes to a key in one load, merge keeps the first.
#
# Changes of rows come in the order in which they happened, so the last of a key is how the row is
# now. `write_disposition="merge"` keeps one row of each key of a load, into DuckDB the first: an
# update that is followed by a delete stays, and a row that is deleted and written again is gone.
# With dedup_sort a column says which is the last, but only within a load: an older change in a
# later load replaces a newer row. Split into one load for each change, the same rows end as
# expected.
#
# Guess before the run: the last row of a load wins, as between loads, and dedup_sort holds for
# both.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'dlt[duckdb]==1.31.0' 'duckdb==2.0.1'
cat >"$work/run.py" <<'PY'
import os
import sys

import dlt
import duckdb

os.environ["RUNTIME__LOG_LEVEL"] = "CRITICAL"
os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
old, new = {"k": 1, "v": "old", "s": 1}, {"k": 1, "v": "new", "s": 2}
gone = {"k": 1, "v": "gone", "s": 3, "d": True}
cases = (
    ("update, update", [[old, new]], {}),
    ("update; update", [[old], [new]], {}),
    ("update, delete", [[old], [new, gone]], {}),
    ("update; delete", [[old], [new], [gone]], {}),
    ("delete, insert", [[old], [gone, new]], {}),
    ("delete; insert", [[old], [gone], [new]], {}),
    ("update, update, with dedup_sort", [[old, new]], {"dedup_sort": "desc"}),
    ("newer; older, with dedup_sort", [[new], [old]], {"dedup_sort": "desc"}),
)
for number, (name, loads, sort) in enumerate(cases):
    file = f"{sys.argv[1]}/{number}.db"
    pipeline = dlt.pipeline(
        f"p{number}",
        destination=dlt.destinations.duckdb(file),
        dataset_name="d",
        pipelines_dir=f"{sys.argv[1]}/pipelines",
    )
    columns = {
        "d": {"data_type": "bool", "hard_delete": True},
        "s": {"data_type": "bigint", **sort},
    }
    for load in loads:
        pipeline.run(
            load, table_name="t", write_disposition="merge", primary_key="k", columns=columns
        )
    with duckdb.connect(file) as connection:
        print(f"{name}: {[row[0] for row in connection.sql('SELECT v FROM d.t').fetchall()]}")
PY
expected="update, update: ['old']
update; update: ['new']
update, delete: ['new']
update; delete: []
delete, insert: []
delete; insert: ['new']
update, update, with dedup_sort: ['new']
newer; older, with dedup_sort: ['old']"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
