#!/usr/bin/env bash
# deephaven-core 42.7: a row comes and goes, and the live sum is -2 where the table has 2^63 - 2.
#
# A null of type long is the smallest number, -2^63. A sum that overflows to just this number is null,
# as documented of values; but the running total is null as well, and the next change counts from
# nothing. So all rows that are still there are gone from the sum, for good, while `count` has them.
# The same query over a snapshot of the same rows is right. Overflow otherwise wraps, and comes back.
#
# Guess before the run: sums wrap on the way, and are right again when the rows have left.
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
from deephaven.column import long_col

rows = input_table(col_defs={"Id": types.int64, "V": types.int64}, key_cols="Id")


def total(table):
    return table.agg_by([agg.sum_("s=V"), agg.count_("n")])


def show(what, count):
    while next(live.iter_tuple()).n != count:
        time.sleep(0.01)
    for kind, table in (("live", live), ("anew", total(rows.snapshot()))):
        found = next(table.iter_tuple())
        print("seen", f"{what}, {kind}: sum {found.s}, rows {found.n}", flush=True)


def add(id_, value):
    rows.add(new_table([long_col("Id", [id_]), long_col("V", [value])]))


live = total(rows)
add(1, 2**63 - 2)
add(2, 3)
show("past the end of the numbers", 2)
rows.delete(new_table([long_col("Id", [2])]))
show("and back", 1)
add(2, 2)
show("just at the null", 2)
rows.delete(new_table([long_col("Id", [2])]))
show("and back", 1)
os._exit(0)
PY
expected='past the end of the numbers, live: sum -9223372036854775807, rows 2
past the end of the numbers, anew: sum -9223372036854775807, rows 2
and back, live: sum 9223372036854775806, rows 1
and back, anew: sum 9223372036854775806, rows 1
just at the null, live: sum -9223372036854775808, rows 2
just at the null, anew: sum -9223372036854775808, rows 2
and back, live: sum -2, rows 1
and back, anew: sum 9223372036854775806, rows 1'
# The server keeps what it makes below these; its own lines begin otherwise.
export XDG_CACHE_HOME=$work XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors" | grep '^seen ' | cut -c6-) || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
