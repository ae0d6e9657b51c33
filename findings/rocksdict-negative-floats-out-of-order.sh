#!/usr/bin/env bash
# rocksdict 0.3.29: keys that are negative floats come last, and in reverse order.
#
# rocksdict stores Python numbers as keys of RocksDB, whose order its iterators and ranges follow.
# Ints are encoded so that their order is that of numbers, also below zero and beyond 64 bits. Floats
# are not: all negative ones follow the positive ones, the smallest last. So a scan from -2.0 does not
# see the keys above it, and a scan backwards from 0.0 sees none below.
#
# Guess before the run: floats are in the order of numbers, as ints are.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'rocksdict==0.3.29'
cat >"$work/run.py" <<'PY'
import sys

from rocksdict import Rdict

for kind in (int, float):
    db = Rdict(f"{sys.argv[1]}/{kind.__name__}")
    for number in (-300, -2, -1, 0, 1, 7, 300):
        db[kind(number)] = number
    print(kind.__name__, "all:", list(db.values()))
    print(kind.__name__, "from -2:", list(db.values(from_key=kind(-2))))
    print(kind.__name__, "back from 0:", list(db.values(backwards=True, from_key=kind(0))))
    db.close()
PY
expected='int all: [-300, -2, -1, 0, 1, 7, 300]
int from -2: [-2, -1, 0, 1, 7, 300]
int back from 0: [0, -1, -2, -300]
float all: [0, 1, 7, 300, -1, -2, -300]
float from -2: [-2, -300]
float back from 0: [0]'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
