#!/usr/bin/env bash
# fastparquet 2026.9.0: the date 9999-12-31 is read as 1816-03-29, and 1500-01-01 as 2084-07-20.
#
# A date of Parquet is a number of days. fastparquet makes nanoseconds of it in 64 bits, without a
# check, so dates before 1677-09-21 and after 2262-04-11 wrap. "Valid until 9999-12-31", a common
# way to say "still valid", has ended in 1816. Timestamps of the same days, which pandas 3 has in
# microseconds, are right, and so are the dates that pandas.read_parquet reads with pyarrow 26.0.1.
#
# Guess before the run: the date, as for timestamps, or an error of bounds.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'fastparquet==2026.9.0' 'pyarrow==26.0.1' 'pandas==3.1.1'
cat >"$work/run.py" <<'PY'
import sys
from datetime import date, datetime

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

path = f"{sys.argv[1]}/rows.parquet"
days = [date(2024, 2, 29), date(9999, 12, 31), date(1500, 1, 1), date(2262, 4, 11), date(2262, 4, 12)]
times = pa.array([datetime(d.year, d.month, d.day) for d in days], pa.timestamp("us"))
pq.write_table(pa.table({"day": days, "time": times}), path)
by_fastparquet = pd.read_parquet(path, engine="fastparquet")
by_pyarrow = pd.read_parquet(path, engine="pyarrow")
read = (by_fastparquet["day"], by_fastparquet["time"], by_pyarrow["day"])
for was, day, time, arrow_day in zip(days, *read, strict=True):
    print(f"{was}: fastparquet {day.date()}, as a timestamp {time.date()}, pyarrow {arrow_day}")
later = (by_fastparquet["day"] > pd.Timestamp(2024, 6, 1), by_pyarrow["day"] > date(2024, 6, 1))
print(f"later than 2024-06-01: fastparquet {later[0].sum()}, pyarrow {later[1].sum()}")
PY
expected='2024-02-29: fastparquet 2024-02-29, as a timestamp 2024-02-29, pyarrow 2024-02-29
9999-12-31: fastparquet 1816-03-29, as a timestamp 9999-12-31, pyarrow 9999-12-31
1500-01-01: fastparquet 2084-07-20, as a timestamp 1500-01-01, pyarrow 1500-01-01
2262-04-11: fastparquet 2262-04-11, as a timestamp 2262-04-11, pyarrow 2262-04-11
2262-04-12: fastparquet 1677-09-21, as a timestamp 2262-04-12, pyarrow 2262-04-12
later than 2024-06-01: fastparquet 2, pyarrow 3'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
