#!/usr/bin/env bash
# pyarrow 26.0.1 writes, apache-arrow 21.2.0 for JavaScript reads: toArray() gives 15872 for the half float 1.5.
#
# A vector has the same values by get(i), by iteration and by toArray(), so one guesses. For many types toArray()
# hands out the memory: half floats as the integers of their bits, timestamps in seconds or microseconds where get()
# has milliseconds, and 0 for null. A decimal comes as words of 32 bits without its scale, and toArray() has the
# words of all decimals in one list. A time in nanoseconds comes from get() as a double that has lost its last
# digits. The nanoseconds of an interval come as two words.
#
# Guess before the run: the same numbers by both ways.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyarrow==26.0.1'
cat >"$work/write.py" <<'PY'
import sys
from decimal import Decimal

import pyarrow as pa

columns = {
    "half": pa.array([1.5, -0.5, None], pa.float16()),
    "double": pa.array([1.5, -0.5, None], pa.float64()),
    "seconds": pa.array([1, -1, None], pa.timestamp("s")),
    "microseconds": pa.array([1_700_000_000_123_456, -1, None], pa.timestamp("us")),
    "nanoseconds": pa.array([1_700_000_000_123_456_789, -1, None], pa.timestamp("ns")),
    "day": pa.array([1, -1, None], pa.date32()),
    "bigint": pa.array([2**53 + 1, -1, None], pa.int64()),
    "decimal": pa.array([Decimal("-1.50"), Decimal("123.45"), None], pa.decimal128(10, 2)),
    "interval": pa.array([(1, 2, 10**12), (0, 0, -1), None], pa.month_day_nano_interval()),
}
table = pa.table(columns)
with pa.ipc.new_file(sys.argv[1], table.schema) as file:
    file.write_table(table)
PY
"$work/venv/bin/python" "$work/write.py" "$work/file.arrow"
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" apache-arrow@21.2.0 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import { readFileSync } from "node:fs";
import { tableFromIPC } from "apache-arrow";

const table = tableFromIPC(readFileSync(new URL("file.arrow", import.meta.url)));
const show = (value) => (ArrayBuffer.isView(value) ? `[${[...value].join(" ")}]` : String(value));
for (const { name } of table.schema.fields) {
  const vector = table.getChild(name);
  const got = Array.from({ length: vector.length }, (_, i) => show(vector.get(i)));
  const array = [...vector.toArray()].slice(0, 3).map(show);
  console.log(`${name}: get ${got.join(", ")}; toArray ${array.join(", ")}`);
}
JS
expected='half: get 1.5, -0.5, null; toArray 15872, 47104, 0
double: get 1.5, -0.5, null; toArray 1.5, -0.5, 0
seconds: get 1000, -1000, null; toArray 1, -1, 0
microseconds: get 1700000000123.456, -0.001, null; toArray 1700000000123456, -1, 0
nanoseconds: get 1700000000123.4568, -0.000001, null; toArray 1700000000123456789, -1, 0
day: get 86400000, -86400000, null; toArray 86400000, -86400000, null
bigint: get 9007199254740993, -1, null; toArray 9007199254740993, -1, 0
decimal: get [4294967146 4294967295 4294967295 4294967295], [12345 0 0 0], null; toArray 4294967146, 4294967295, 4294967295
interval: get [1 2 -727379968 232], [0 0 -1 -1], null; toArray [1 2 -727379968 232], [0 0 -1 -1], null'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
