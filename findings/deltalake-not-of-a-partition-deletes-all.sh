#!/usr/bin/env bash
# deltalake 1.6.6: of a table partitioned by b, `delete("(NOT b) IS NULL")` deletes all rows.
#
# A predicate on partition columns alone picks files, and no row is looked at after that. With NOT
# inside of IS NULL, IS NOT NULL or IN every file is picked, whatever its value: SELECT returns, and
# DELETE deletes, rows for which the same predicate as a column is false. Without partitions, or as
# `b IS NULL`, the right rows go.
#
# Guess before the run: how a table is partitioned changes no result.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'deltalake==1.6.6' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import sys

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake

rows = pa.table({"b": [True, False, None], "v": [1, 2, 3]})
for name, partition_by in (("nothing", None), ("b", ["b"])):
    for number, predicate in enumerate(("(NOT b) IS NULL", "(NOT b) NOT IN (true, false, true)", "b IS NULL")):
        folder = f"{sys.argv[1]}/{name}-{number}"
        write_deltalake(folder, rows, partition_by=partition_by)
        query = QueryBuilder().register("t", DeltaTable(folder))
        computed = pa.table(query.execute(f"SELECT v, {predicate} AS c FROM t").read_all())
        true = sorted(row["v"] for row in computed.to_pylist() if row["c"])
        found = pa.table(query.execute(f"SELECT v FROM t WHERE {predicate}").read_all())
        deleted = DeltaTable(folder).delete(predicate)["num_deleted_rows"]
        shown = sorted(found.to_pydict().get("v", []))
        print(f"by {name}, {predicate}: true for {true}, shown {shown}, {deleted} deleted")
PY
expected="by nothing, (NOT b) IS NULL: true for [3], shown [3], 1 deleted
by nothing, (NOT b) NOT IN (true, false, true): true for [], shown [], 0 deleted
by nothing, b IS NULL: true for [3], shown [3], 1 deleted
by b, (NOT b) IS NULL: true for [3], shown [1, 2, 3], 3 deleted
by b, (NOT b) NOT IN (true, false, true): true for [], shown [1, 2, 3], 3 deleted
by b, b IS NULL: true for [3], shown [3], 1 deleted"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
