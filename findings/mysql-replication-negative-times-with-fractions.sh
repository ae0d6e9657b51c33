#!/usr/bin/env bash
# mysql-replication 1.0.17: a negative TIME with a fraction is decoded as another time.
#
# A TIME(2) is three bytes of whole seconds and one of hundredths. Of a negative time both are one
# two's complement: -1.25 s is stored as -2 s, and -25 hundredths. The library negates the seconds
# and keeps the sign of the hundredths, so it makes -(2 - 0.25) s of it. Half seconds come right, for
# both ways give the same; whole seconds and positive times are right, too.
#
# The bytes below are those of a row event, as the server's documentation has the format.
# Guess before the run: the times that the bytes stand for.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'mysql-replication==1.0.17' 'PyMySQL==1.1.2'
cat >"$work/run.py" <<'PY'
from types import SimpleNamespace

from pymysqlreplication.constants import FIELD_TYPE
from pymysqlreplication.packet import BinLogPacketWrapper
from pymysqlreplication.row_event import RowsEvent


class Packet:
    def __init__(self, data):
        self.data = data

    def read(self, size):
        found, self.data = self.data[: int(size)], self.data[int(size) :]
        return found

    def read_int_be_by_size(self, size):
        return BinLogPacketWrapper.read_int_be_by_size(self, size)

    def read_int24_be(self):
        return BinLogPacketWrapper.read_int24_be(self)


for text, data in (
    ("00:00:01.25", "80000119"),
    ("-00:00:01.00", "7fffff00"),
    ("-00:00:01.50", "7ffffece"),
    ("-00:00:01.25", "7ffffee7"),
    ("-00:00:00.01", "7fffffff"),
):
    column = SimpleNamespace(name="t", unsigned=False, type=FIELD_TYPE.TIME2, fsp=2)
    event = object.__new__(RowsEvent)
    event.packet, event.columns = Packet(b"\0" + bytes.fromhex(data)), [column]
    event.table_id, event.event_type = 1, 0
    event.table_map = {1: SimpleNamespace(columns=[column])}
    event._RowsEvent__none_sources = {}
    print(f"{text} is {event._read_column_data(bytes([1]))['t'].total_seconds():g} s")
PY
expected='00:00:01.25 is 1.25 s
-00:00:01.00 is -1 s
-00:00:01.50 is -1.5 s
-00:00:01.25 is -1.75 s
-00:00:00.01 is -0.99 s'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
