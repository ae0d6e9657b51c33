#!/usr/bin/env bash
# pyorc 0.12.0: a smallint of 70000 comes back as 70000 in pyorc, and as 4464 everywhere else.
#
# pyorc's writer checks no range. ORC stores all integers in the same way, so the file holds 70000
# in a column of 16 bits. pyorc returns what it finds; pyarrow 26.0.1 cuts it to the column's type.
# So a test that reads its own file back sees nothing wrong. A tinyint of 200 is -56 for both. The
# last second before 1970 is lost, too: half past it is stored as half a second after 1970 began.
# pyarrow writes that time right, and both read it right.
#
# Guess before the run: a value that does not fit is refused.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyorc==0.12.0' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import sys
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.orc
import pyorc

late = datetime(1969, 12, 31, 23, 59, 59, 500_000, UTC)
file = f"{sys.argv[1]}/rows.orc"


def read(who):
    with open(file, "rb") as source:
        own = pyorc.Reader(source).read()[0][0]
    other = pyarrow.orc.read_table(file)["v"][0].as_py()
    print(who, f"pyorc reads {own}, pyarrow reads {other}")


for type, value in (("tinyint", 200), ("smallint", 70_000), ("int", 2**31), ("timestamp", late)):
    with open(file, "wb") as sink, pyorc.Writer(sink, f"struct<v:{type}>") as writer:
        writer.write((value,))
    read(f"{type}, {value} by pyorc:")
pyarrow.orc.write_table(pa.table({"v": pa.array([late], pa.timestamp("us", "UTC"))}), file)
read(f"timestamp, {late} by pyarrow:")
PY
expected='tinyint, 200 by pyorc: pyorc reads -56, pyarrow reads -56
smallint, 70000 by pyorc: pyorc reads 70000, pyarrow reads 4464
int, 2147483648 by pyorc: pyorc reads 2147483648, pyarrow reads -2147483648
timestamp, 1969-12-31 23:59:59.500000+00:00 by pyorc: pyorc reads 1970-01-01 00:00:00.500000+00:00, pyarrow reads 1970-01-01 00:00:00.500000
timestamp, 1969-12-31 23:59:59.500000+00:00 by pyarrow: pyorc reads 1969-12-31 23:59:59.500000+00:00, pyarrow reads 1969-12-31 23:59:59.500000+00:00'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
