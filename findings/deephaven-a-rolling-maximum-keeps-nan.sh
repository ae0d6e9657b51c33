#!/usr/bin/env bash
# deephaven-core 42.7: a maximum over the last two rows is NaN long after NaN has left them.
#
# `rolling_max_tick` of 3, NaN, 1, 2, 5 over two rows: NaN is passed over if it comes second, and wins
# if it comes first. Then it stays the maximum of windows that it has left, as nothing is greater. What a
# table of changes says depends on its history: row by row the fourth window is right, and the same rows
# at once give NaN. `rolling_min_tick` shows no NaN at all.
#
# Guess before the run: NaN is the greatest or it is passed over, and leaves with its row.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'deephaven-server==42.7'
cat >"$work/run.py" <<'PY'
import os
import math
import socket
import time

from deephaven_server import Server

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
Server(host="127.0.0.1", port=port, jvm_args=["-Xmx1g"]).start()

from deephaven import input_table, new_table
from deephaven import dtypes as types
from deephaven.column import double_col, long_col
from deephaven.updateby import rolling_max_tick, rolling_min_tick

VALUES = (3.0, math.nan, 1.0, 2.0, 1.5, 5.0)
rows = input_table(col_defs={"Id": types.int64, "V": types.double}, key_cols="Id")


def windows(table):
    ops = [rolling_max_tick("max=V", rev_ticks=2), rolling_min_tick("min=V", rev_ticks=2)]
    return table.sort("Id").update_by(ops)


def show(what, table):
    found = list(table.iter_tuple())
    print("seen", f"{what}:", "max", [r.max for r in found], "min", [r.min for r in found], flush=True)


live = windows(rows)
for number, value in enumerate(VALUES):
    rows.add(new_table([long_col("Id", [number]), double_col("V", [value])]))
    while live.size <= number:  # a row at a time
        time.sleep(0.01)
print("seen", "rows:", list(VALUES), flush=True)
show("row by row", live)
show("at once", windows(rows.snapshot()))
os._exit(0)
PY
expected='rows: [3.0, nan, 1.0, 2.0, 1.5, 5.0]
row by row: max [3.0, 3.0, nan, 2.0, 2.0, 5.0] min [3.0, 3.0, 1.0, 1.0, 1.5, 1.5]
at once: max [3.0, 3.0, nan, nan, nan, nan] min [3.0, 3.0, 1.0, 1.0, 1.5, 1.5]'
# The server keeps what it makes below these; its own lines begin otherwise.
export XDG_CACHE_HOME=$work XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors" | grep '^seen ' | cut -c6-) || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
