#!/usr/bin/env bash
# avro 1.12.2 (Apache's own Python package): a decimal is written without its exponent.
#
# Avro's `decimal` is a whole number and the scale of the schema. avro takes the digits of a value as
# that number, whatever the value's own exponent: 1.2 with scale 2 becomes 0.12, 1E+3 becomes 0.01,
# and minus zero becomes -0.02. Nothing is raised, and every reader gets the wrong number. fastavro
# 1.13.1 writes the right one. Only values written with as many decimals as the scale are safe.
#
# Guess before the run: a value that the scale can hold is written exactly, or refused.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'avro==1.12.2' 'fastavro==1.13.1'
cat >"$work/run.py" <<'PY'
import io
import json
from decimal import Decimal

import avro.io
import avro.schema
import fastavro

field = {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}
schema = {"type": "record", "name": "row", "fields": [{"name": "v", "type": field}]}
own, other = avro.schema.parse(json.dumps(schema)), fastavro.parse_schema(schema)


def by_avro(row):
    out = io.BytesIO()
    avro.io.DatumWriter(own).write(row, avro.io.BinaryEncoder(out))
    return out.getvalue()


def by_fastavro(row):
    out = io.BytesIO()
    fastavro.schemaless_writer(out, other, row)
    return out.getvalue()


for text in ("1.20", "1.2", "5", "1E+3", "-0.00"):
    found = []
    for write in (by_avro, by_fastavro):
        data = write({"v": Decimal(text)})
        read = avro.io.DatumReader(own).read(avro.io.BinaryDecoder(io.BytesIO(data)))["v"]
        assert read == fastavro.schemaless_reader(io.BytesIO(data), other, None)["v"]
        found.append(read)
    print(f"{text}: avro writes {found[0]}, fastavro writes {found[1]}")
PY
expected='1.20: avro writes 1.20, fastavro writes 1.20
1.2: avro writes 0.12, fastavro writes 1.20
5: avro writes 0.05, fastavro writes 5.00
1E+3: avro writes 0.01, fastavro writes 1000.00
-0.00: avro writes -0.02, fastavro writes 0.00'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
