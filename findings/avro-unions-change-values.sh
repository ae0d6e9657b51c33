#!/usr/bin/env bash
# fastavro 1.13.1 and avro 1.12.2: a union that has a type for a value writes it as another type.
#
# fastavro takes the first type of a union that can hold a value, well or not: in [float, long] the
# number 16777217 is written as the float 16777216.0, in [int, double, long] 2**53 + 1 as a double,
# and in [date, timestamp-micros] a datetime as its date. avro takes the last: in [long, float] it
# is the one that writes 16777216.0, and in [int, boolean, long] True becomes 1. No error is raised.
# Each order of the types suits one of the two.
#
# Guess before the run: the type that holds the value exactly.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'avro==1.12.2' 'fastavro==1.13.1'
cat >"$work/run.py" <<'PY'
import io
import json
from datetime import UTC, datetime, time

import avro.io
import avro.schema
import fastavro

day = {"type": "int", "logicalType": "date"}
micros = {"type": "long", "logicalType": "timestamp-micros"}
millis_of_day = {"type": "int", "logicalType": "time-millis"}
micros_of_day = {"type": "long", "logicalType": "time-micros"}
for union, value in (
    (["float", "long"], 16_777_217),
    (["long", "float"], 16_777_217),
    (["int", "double", "long"], 2**53 + 1),
    (["int", "boolean", "long"], True),
    ([day, micros], datetime(2024, 1, 1, 5, tzinfo=UTC)),
    ([millis_of_day, micros_of_day], time(0, 0, 0, 1500)),
):
    schema = {"type": "record", "name": "row", "fields": [{"name": "v", "type": union}]}
    own, other = avro.schema.parse(json.dumps(schema)), fastavro.parse_schema(schema)
    by_avro, by_fastavro = io.BytesIO(), io.BytesIO()
    avro.io.DatumWriter(own).write({"v": value}, avro.io.BinaryEncoder(by_avro))
    fastavro.schemaless_writer(by_fastavro, other, {"v": value})
    names = [t if isinstance(t, str) else t["logicalType"] for t in union]
    print(f"{value} in {', '.join(names)}:", end=" ")
    found = []
    for data in (by_avro, by_fastavro):
        data.seek(0)
        found.append(fastavro.schemaless_reader(data, other, None)["v"])
    print(f"avro {found[0]}, fastavro {found[1]}")
PY
expected='16777217 in float, long: avro 16777217, fastavro 16777216.0
16777217 in long, float: avro 16777216.0, fastavro 16777217
9007199254740993 in int, double, long: avro 9007199254740993, fastavro 9007199254740992.0
True in int, boolean, long: avro 1, fastavro True
2024-01-01 05:00:00+00:00 in date, timestamp-micros: avro 2024-01-01 05:00:00+00:00, fastavro 2024-01-01
00:00:00.001500 in time-millis, time-micros: avro 00:00:00.001500, fastavro 00:00:00.001000'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
