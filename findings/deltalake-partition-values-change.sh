#!/usr/bin/env bash
# deltalake 1.6.6: a partition value of bytes comes back as other bytes; an empty text is null or not.
#
# In the log of a Delta table a byte of a partition value is written as \u0061, and an empty text
# stands for null. deltalake writes so, and does not read so: a row with the bytes `a` has the six
# bytes \u0061 after it, is not found by its value, and not deleted. An empty text is null for
# to_pyarrow_table, and an empty text for the change feed and for SQL: a delete in the feed takes
# away another row than the one that the table showed.
#
# Guess before the run: what is read equals what was written, or is null everywhere.
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

bytes_, text = f"{sys.argv[1]}/bytes", f"{sys.argv[1]}/text"
write_deltalake(bytes_, pa.table({"k": [b"a"], "v": [1]}), partition_by=["k"])
print("bytes read:", DeltaTable(bytes_).to_pyarrow_table()["k"].to_pylist())
deleted = DeltaTable(bytes_).delete("k = decode('61', 'hex')")["num_deleted_rows"]
print("bytes deleted by their value:", deleted)

feed = {"delta.enableChangeDataFeed": "true"}
write_deltalake(text, pa.table({"k": [""], "v": [1]}), partition_by=["k"], configuration=feed)
print("text read:", DeltaTable(text).to_pyarrow_table()["k"].to_pylist())
query = QueryBuilder().register("t", DeltaTable(text)).execute("SELECT k FROM t WHERE k IS NULL")
print("text that is null in SQL:", pa.table(query.read_all()).num_rows)
DeltaTable(text).delete("v = 1")
changes = pa.table(DeltaTable(text).load_cdf(starting_version=0).read_all()).to_pylist()
print("text in the feed:", sorted((row["_change_type"], row["k"]) for row in changes))
PY
expected="bytes read: [b'\\\\u0061']
bytes deleted by their value: 0
text read: [None]
text that is null in SQL: 0
text in the feed: [('delete', ''), ('insert', '')]"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
