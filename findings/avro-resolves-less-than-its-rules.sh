#!/usr/bin/env bash
# avro 1.12.2 (Apache's own Python package): many of Avro's rules for a new schema are missing.
#
# Avro says how a reader with another schema reads old data: numbers become wider, also as the items
# of arrays and maps; bytes and strings become each other; a value of a union is read by its own
# type; an enum has a default for symbols that the reader lacks. avro refuses all of these with
# "Schemas do not match", and for a long that is read as a double it returns the long, not a float.
# fastavro 1.13.1 follows the rules. A topic whose schema changed by a compatible step, as a
# registry checks it, is not readable by avro.
#
# Guess before the run: what the specification calls compatible is read.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'avro==1.12.2' 'fastavro==1.13.1'
cat >"$work/run.py" <<'PY'
import io
import json

import avro.io
import avro.schema
import fastavro


def record(type):
    return {"type": "record", "name": "row", "fields": [{"name": "v", "type": type}]}


def enum(*symbols):
    return {"type": "enum", "name": "e", "symbols": symbols, "default": "a"}


for old, value, new in (
    ("int", 5, "double"),
    ("long", 2**53 + 1, "double"),
    ({"type": "array", "items": "int"}, [1], {"type": "array", "items": "double"}),
    ({"type": "map", "values": "int"}, {"x": 1}, {"type": "map", "values": "long"}),
    (["null", "int"], 5, "long"),
    ("string", "ab", "bytes"),
    (enum("a", "b"), "b", enum("a")),
):
    file = io.BytesIO()
    fastavro.schemaless_writer(file, record(old), {"v": value})
    file.seek(0)
    there = fastavro.schemaless_reader(file, record(old), record(new))["v"]
    schemas = [avro.schema.parse(json.dumps(record(type))) for type in (old, new)]
    decoder = avro.io.BinaryDecoder(io.BytesIO(file.getvalue()))
    try:
        here = repr(avro.io.DatumReader(*schemas).read(decoder)["v"])
    except avro.errors.SchemaResolutionException as error:
        here = str(error).splitlines()[0]
    print(f"{json.dumps(old)} as {json.dumps(new)}: avro {here}, fastavro {there!r}")
PY
expected="\"int\" as \"double\": avro 5, fastavro 5.0
\"long\" as \"double\": avro 9007199254740993, fastavro 9007199254740992.0
{\"type\": \"array\", \"items\": \"int\"} as {\"type\": \"array\", \"items\": \"double\"}: avro Schemas do not match., fastavro [1.0]
{\"type\": \"map\", \"values\": \"int\"} as {\"type\": \"map\", \"values\": \"long\"}: avro Schemas do not match., fastavro {'x': 1}
[\"null\", \"int\"] as \"long\": avro Schemas do not match., fastavro 5
\"string\" as \"bytes\": avro Schemas do not match., fastavro b'ab'
{\"type\": \"enum\", \"name\": \"e\", \"symbols\": [\"a\", \"b\"], \"default\": \"a\"} as {\"type\": \"enum\", \"name\": \"e\", \"symbols\": [\"a\"], \"default\": \"a\"}: avro Symbol b not present in Reader's Schema, fastavro 'a'"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
