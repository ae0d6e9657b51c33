#!/usr/bin/env bash
# mysql-replication 1.0.17: the year 0000 is decoded as 1900.
#
# A YEAR is one byte: 0 for 0000, and the years since 1900 for 1901 to 2155. The library adds 1900 to
# any byte, so 0000, which a SELECT gives as 0, comes from the binlog as a year that the type has not.
#
# The bytes below are the whole value of a YEAR column in a row event.
# Guess before the run: 0 is 0, as SELECT has it.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'mysql-replication==1.0.17' 'PyMySQL==1.1.2'
cat >"$work/run.py" <<'PY'
from types import SimpleNamespace

from pymysqlreplication.constants import FIELD_TYPE
from pymysqlreplication.row_event import RowsEvent


class Packet:
    def __init__(self, data):
        self.data = data

    def read(self, size):
        found, self.data = self.data[: int(size)], self.data[int(size) :]
        return found

    def read_uint8(self):
        return self.read(1)[0]


for byte in (0, 1, 126, 255):
    column = SimpleNamespace(name="y", unsigned=False, type=FIELD_TYPE.YEAR)
    event = object.__new__(RowsEvent)
    event.packet, event.columns, event.table_id, event.event_type = Packet(bytes([0, byte])), [column], 1, 0
    event.table_map = {1: SimpleNamespace(columns=[column])}
    event._RowsEvent__none_sources = {}
    print(f"{byte} is {event._read_column_data(bytes([1]))['y']}")
PY
expected='0 is 1900
1 is 1901
126 is 2026
255 is 2155'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
