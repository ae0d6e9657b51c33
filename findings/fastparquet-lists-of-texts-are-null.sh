#!/usr/bin/env bash
# fastparquet 2026.9.0: lists of texts are null, all of them, if they have no dictionary.
#
# A writer of Parquet stores texts with a dictionary, or plainly once there are too many different
# ones. fastparquet reads lists of texts with a dictionary. Without one, each list is null; lists of
# numbers are right in both. So a column of few tags is read, and one of many ids comes out empty,
# and a file that grows may go from one to the other. A list of lists is null always. No error is
# raised, only the count of nulls tells.
#
# Guess before the run: the lists, however their texts are stored, or an error.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'fastparquet==2026.9.0' 'pyarrow==26.0.1' 'pandas==3.1.1'
cat >"$work/run.py" <<'PY'
import sys

import fastparquet
import pyarrow as pa
import pyarrow.parquet as pq

path = f"{sys.argv[1]}/rows.parquet"
for name, lists, dictionary in (
    ("texts, dictionary", [["a"], ["b", "c"], []], True),
    ("texts, plain", [["a"], ["b", "c"], []], False),
    ("numbers, dictionary", [[1], [2, 3], []], True),
    ("numbers, plain", [[1], [2, 3], []], False),
    ("lists of numbers", [[[1]], [[2], [3]], []], True),
    ("50000 ids, as pyarrow writes by default", [[f"id-{i:040}"] for i in range(50_000)], True),
):
    pq.write_table(pa.table({"v": lists}), path, use_dictionary=dictionary)
    column = fastparquet.ParquetFile(path).to_pandas()["v"].to_list()
    right = sum(read is not None and list(read) == was for read, was in zip(column, lists))
    print(f"{name}: {right} of {len(lists)} right, {sum(v is None for v in column)} null")
PY
expected='texts, dictionary: 3 of 3 right, 0 null
texts, plain: 0 of 3 right, 3 null
numbers, dictionary: 3 of 3 right, 0 null
numbers, plain: 3 of 3 right, 0 null
lists of numbers: 0 of 3 right, 3 null
50000 ids, as pyarrow writes by default: 23072 of 50000 right, 26928 null'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
