#!/usr/bin/env bash
# pyiceberg 0.12.0: an append of 3 rows to a table partitioned by a double stores 5 rows.
#
# The writer takes the different values of the partition column, and for each of them the rows that
# equal it. 0.0 and -0.0 are two values, and each equals both, so each gets the rows of the other as
# well. With one kind of zero all is well. In a table without partitions both kinds are stored once.
# No error is raised, and every sum and count over the table is too large.
#
# Guess before the run: append adds the rows that it is given.
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

catalog = SqlCatalog("c", uri=f"sqlite:///{sys.argv[1]}/c.db", warehouse=f"file://{sys.argv[1]}/w")
catalog.create_namespace("n")
for name, values in (("both", [0.0, 1.5, -0.0]), ("one", [-0.0, 1.5, -0.0])):
    rows = pa.table({"v": values, "amount": [10, 20, 40]})
    for partitioned in (False, True):
        table = catalog.create_table(f"n.{name}{partitioned}", rows.schema)
        if partitioned:
            with table.update_spec() as spec:
                spec.add_identity("v")
        table.append(rows)
        stored = table.scan().to_arrow()
        by = "by v" if partitioned else "by nothing"
        print(f"{values} partitioned {by}: {stored.num_rows} rows,", end=" ")
        print(f"amount {sum(stored['amount'].to_pylist())}")
PY
expected='[0.0, 1.5, -0.0] partitioned by nothing: 3 rows, amount 70
[0.0, 1.5, -0.0] partitioned by v: 5 rows, amount 120
[-0.0, 1.5, -0.0] partitioned by nothing: 3 rows, amount 70
[-0.0, 1.5, -0.0] partitioned by v: 3 rows, amount 70'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
