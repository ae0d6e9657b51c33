#!/usr/bin/env bash
# deltalake 1.6.6: after one negative decimal as a partition value, nobody opens the table any more.
#
# A partition value goes into the log as text. deltalake writes -1.10 as '-1.-10': the sign stands
# before the digits on both sides of the point. The commit is made, then reading it back fails, so the
# writer gets an error, and so does everybody who opens the table from then on, for the rows of before
# as well. Positive values, and negative ones in a column that is no partition, are written right.
#
# Guess before the run: the row is written, or refused before the commit.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'deltalake==1.6.6' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import sys
from decimal import Decimal

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError


def said(step, call):
    try:
        print(f"{step}: {call()}")
    except DeltaError as e:
        print(f"{step}: {e}")


folder = f"{sys.argv[1]}/table"
for value in ("1.10", "-1.10"):
    rows = pa.table({"k": pa.array([Decimal(value)], pa.decimal128(9, 2)), "v": [value]})
    write = lambda: write_deltalake(folder, rows, mode="append", partition_by=["k"])  # noqa: E731
    said(f"write {value}", lambda: write() or "done")
    said("open and count", lambda: DeltaTable(folder).to_pyarrow_table().num_rows)
PY
expected="write 1.10: done
open and count: 1
write -1.10: Kernel error: Failed to parse value '-1.-10' as 'decimal(9,2)'
open and count: Kernel error: Failed to parse value '-1.-10' as 'decimal(9,2)'"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
