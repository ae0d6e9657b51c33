#!/usr/bin/env bash
# chdb 4.4.0 (ClickHouse 26.9): the number 200 is written to ORC as -56, and 2**64 - 1 as -1.
#
# ORC and Avro have no unsigned numbers. ClickHouse, whose literals are unsigned, does not take the
# next larger type, and does not refuse: in ORC a UInt8 is a tinyint, and 200 is -56; in both
# formats a UInt32 is an int, and 4000000000 negative, and a UInt64 a long, whose largest value is
# -1. A DateTime becomes a plain number of seconds in Avro and Arrow, a DateTime64 a timestamp. Read
# by chdb itself, ORC's -56 stays -56. Parquet and Arrow have unsigned types, and keep all of them.
#
# Guess before the run: a wider type, or an error.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'chdb==4.4.0' 'pyarrow==26.0.1' 'fastavro==1.13.1' 'cramjam==2.14.0'
cat >"$work/run.py" <<'PY'
import sys

import chdb
import fastavro
import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet


def parquet(file):
    return pa.parquet.read_table(file).to_pylist()[0]


def arrow(file):
    return pa.ipc.open_file(file).read_all().to_pylist()[0]


def orc(file):
    return pa.orc.read_table(file).to_pylist()[0]


def avro(file):
    with open(file, "rb") as source:
        return next(iter(fastavro.reader(source)))


row = (
    "toUInt8(200) AS byte, toUInt16(60000) AS short, toUInt32(4000000000) AS int,"
    " toUInt64(18446744073709551615) AS long,"
    " toDateTime('2024-01-01 00:00:00', 'UTC') AS time"
)
for read in (parquet, arrow, orc, avro):
    name = {"orc": "ORC"}.get(read.__name__, read.__name__.capitalize())
    file = f"{sys.argv[1]}/row.{name}"
    chdb.query(f"SELECT {row} INTO OUTFILE '{file}' FORMAT {name}")
    found = {key: str(value) for key, value in read(file).items()}
    back = str(chdb.query(f"SELECT byte, long FROM file('{file}', '{name}')", "TabSeparated"))
    print(f"{name}: {found}; by chdb itself, byte and long: {back.split()}")
PY
expected="Parquet: {'byte': '200', 'short': '60000', 'int': '4000000000', 'long': '18446744073709551615', 'time': '2024-01-01 00:00:00+00:00'}; by chdb itself, byte and long: ['200', '18446744073709551615']
Arrow: {'byte': '200', 'short': '60000', 'int': '4000000000', 'long': '18446744073709551615', 'time': '1704067200'}; by chdb itself, byte and long: ['200', '18446744073709551615']
ORC: {'byte': '-56', 'short': '-5536', 'int': '-294967296', 'long': '-1', 'time': '2024-01-01 00:00:00'}; by chdb itself, byte and long: ['-56', '-1']
Avro: {'byte': '200', 'short': '60000', 'int': '-294967296', 'long': '-1', 'time': '1704067200'}; by chdb itself, byte and long: ['200', '-1']"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
