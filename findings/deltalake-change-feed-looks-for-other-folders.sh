#!/usr/bin/env bash
# deltalake 1.6.6: load_cdf finds no file of a partition by timestamp, or whose value has a space.
#
# The folder of a partition has its value percent-encoded, and the log has the folder's path encoded
# once more, as a URI. A read of the table takes the one off, and finds the rows. The change feed looks
# for the path as it is in the log, and raises: for a timestamp, whose time has colons, and for each
# text with a space, a slash, a percent sign or an é. One such change in the range of versions is
# enough for the whole feed. Other partitions, null too, and tables without partitions are right.
#
# Guess before the run: the feed of version 0 is what was written; null may be missed.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'deltalake==1.6.6' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import sys
from datetime import date, datetime

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake

VALUES = ("a-b", None, 1.5, date(2024, 2, 29), "a b", "a/b", "50%", "é", datetime(2024, 2, 29, 12))
for number, value in enumerate(VALUES):
    folder = f"{sys.argv[1]}/table-{number}"
    values = pa.array([value], pa.string()) if value is None else pa.array([value])
    rows = pa.table({"id": [1], "p": values})
    feed = {"delta.enableChangeDataFeed": "true"}
    write_deltalake(folder, rows, partition_by=["p"], configuration=feed)
    table = DeltaTable(folder)
    read = pa.table(QueryBuilder().register("t", table).execute("SELECT id FROM t").read_all())
    try:
        changes = f"{pa.table(table.load_cdf(starting_version=0).read_all()).num_rows} change"
    except Exception as error:
        changes = "the feed finds no file" if "No such file" in str(error) else str(error)
    print(f"{value}: {read.num_rows} row, {changes}")
PY
expected='a-b: 1 row, 1 change
None: 1 row, 1 change
1.5: 1 row, 1 change
2024-02-29: 1 row, 1 change
a b: 1 row, the feed finds no file
a/b: 1 row, the feed finds no file
50%: 1 row, the feed finds no file
é: 1 row, the feed finds no file
2024-02-29 12:00:00: 1 row, the feed finds no file'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
