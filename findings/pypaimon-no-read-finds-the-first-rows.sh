#!/usr/bin/env bash
# pypaimon 2.1.0: a table with merge-engine first-row takes rows and commits them, and no read finds them.
#
# The merge engine first-row keeps the first row of each key. pypaimon writes and commits such a table: the snapshot
# counts the rows, and the files are there. Its own reader finds none, with or without a filter, for it leaves out
# files of level 0, as readers of such tables do until a compaction has made level 1. pypaimon has no compaction, so
# the rows stay invisible until another program compacts the table. A table with deletion vectors is the same.
# Tables by the other merge engines show their rows at once.
#
# Guess before the run: the rows, or a refusal, as pypaimon refuses other options that it does not have.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pypaimon==2.1.0'
cat >"$work/run.py" <<'PY'
import sys
from pathlib import Path

import pyarrow as pa
from pypaimon import CatalogFactory, Schema

schema = pa.schema([pa.field("k", pa.int64(), nullable=False), ("v", pa.int64())])
catalog = CatalogFactory.create({"warehouse": sys.argv[1]})
catalog.create_database("d", False)
for number, options in enumerate(
    (
        {"merge-engine": "deduplicate"},
        {"merge-engine": "partial-update"},
        {"merge-engine": "aggregation", "fields.v.aggregate-function": "max"},
        {"merge-engine": "first-row"},
        {"deletion-vectors.enabled": "true"},
    )
):
    name = f"d.t{number}"
    described = Schema.from_pyarrow_schema(schema, primary_keys=["k"], options={"bucket": "1", **options})
    catalog.create_table(name, described, False)
    table = catalog.get_table(name)
    for rows in ([{"k": 1, "v": 10}, {"k": 2, "v": 20}], [{"k": 1, "v": 30}, {"k": 3, "v": 40}]):
        builder = table.new_batch_write_builder()
        write, commit = builder.new_write(), builder.new_commit()
        write.write_arrow(pa.Table.from_pylist(rows, schema=schema))
        commit.commit(write.prepare_commit())
        write.close()
        commit.close()
    reader = table.new_read_builder()
    found = reader.new_read().to_arrow(reader.new_scan().plan().splits())
    rows = [] if found is None else [(row["k"], row["v"]) for row in found.to_pylist()]
    files = len(list(Path(sys.argv[1]).glob(f"d.db/t{number}/bucket-0/data-*")))
    print(f"{', '.join(map('='.join, options.items()))}: {files} files, rows {rows}")
PY
expected='merge-engine=deduplicate: 2 files, rows [(1, 30), (2, 20), (3, 40)]
merge-engine=partial-update: 2 files, rows [(1, 30), (2, 20), (3, 40)]
merge-engine=aggregation, fields.v.aggregate-function=max: 2 files, rows [(1, 30), (2, 20), (3, 40)]
merge-engine=first-row: 2 files, rows []
deletion-vectors.enabled=true: 2 files, rows []'
seen=$("$work/venv/bin/python" "$work/run.py" "$work/warehouse" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
