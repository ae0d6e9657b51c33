#!/usr/bin/env bash
# deephaven-core 42.7: the live variance of 1, 2, 4 is 1.83, or -8.17, once a large row was there.
#
# `var` and `std` of a column of type int keep the sum of squares as a double. A value of 100 million
# takes the last digits of the others along, and when its row has left they are not there again. After
# one of 2^31 - 1 the variance is below zero, and `std` is NaN. `avg`, which has an exact sum, is
# right. The same query over a snapshot of the same rows is right, too.
#
# Guess before the run: doubles lose digits, but integers of 32 bits are summed as integers.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'deephaven-server==42.7'
cat >"$work/run.py" <<'PY'
import os
import socket
import time

from deephaven_server import Server

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
Server(host="127.0.0.1", port=port, jvm_args=["-Xmx1g"]).start()

from deephaven import agg, input_table, new_table
from deephaven import dtypes as types
from deephaven.column import int_col, long_col

def spread(table):
    return table.agg_by([agg.var("var=V"), agg.std("std=V"), agg.avg("avg=V")])


def show(what, table):
    found = next(table.iter_tuple())
    numbers = ["null" if v is None else f"{v:.2f}" for v in (found.var, found.std, found.avg)]
    print("seen", what, "var, std, avg:", ", ".join(numbers), flush=True)


for large in (10_000, 100_000_000, 2**31 - 1):
    rows = input_table(col_defs={"Id": types.int64, "V": types.int32}, key_cols="Id")
    live = spread(rows)
    rows.add(new_table([long_col("Id", [1, 2, 3]), int_col("V", [1, 2, 4])]))
    rows.add(new_table([long_col("Id", [4]), int_col("V", [large])]))
    rows.delete(new_table([long_col("Id", [4])]))
    while next(live.iter_tuple()).avg > 7 / 3 + 1e-9:
        time.sleep(0.01)
    show(f"{large} came and went:", live)
show("anew:", spread(rows.snapshot()))
os._exit(0)
PY
expected='10000 came and went: var, std, avg: 2.33, 1.53, 2.33
100000000 came and went: var, std, avg: 1.83, 1.35, 2.33
2147483647 came and went: var, std, avg: -8.17, nan, 2.33
anew: var, std, avg: 2.33, 1.53, 2.33'
# The server keeps what it makes below these; its own lines begin otherwise.
export XDG_CACHE_HOME=$work XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors" | grep '^seen ' | cut -c6-) || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
