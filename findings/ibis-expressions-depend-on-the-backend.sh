#!/usr/bin/env bash
# ibis-framework 12.0.0: the same expression gives other rows on DuckDB 2.0.1 than on polars 2.1.0.
#
# ibis writes one expression for each backend, and refuses what a backend can not do. Where a
# backend has a function of the same name that does another thing, it is taken as it is: nunique of
# polars counts null as a value, `%` follows the sign of the other operand, length counts bytes, a
# decimal is rounded half to even, and null in an array is kept by one union and opens another. A
# test on one backend says little about the other.
#
# Guess before the run: the documentation of an expression describes its result on every backend.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'ibis-framework[duckdb,polars]==12.0.0' 'duckdb==2.0.1' 'polars==2.1.0' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
from decimal import Decimal

import ibis
import pyarrow as pa

prices = pa.array([Decimal("1.25"), Decimal("-1.25"), None], pa.decimal128(9, 2))
names = ["Müller", "b", None]
lists = [[1], [None], None]
rows = {"i": [-7, 7, None], "price": prices, "name": names, "a": lists}
t = ibis.memtable(pa.table(rows))
for text, expression in {
    "i.nunique()": t.i.nunique(),
    "i % 3": t.i % 3,
    "price.round(1)": t.price.round(1),
    "name.length()": t.name.length(),
    "name.find('b')": t.name.find("b"),
    "a.union([9])": t.a.union([9]).sort(),
}.items():
    for backend in (ibis.duckdb.connect(), ibis.polars.connect()):
        found = backend.to_pyarrow(expression)
        values = found.to_pylist() if hasattr(found, "to_pylist") else found.as_py()
        print(f"{text} on {backend.name}: {values}".replace("Decimal", ""))
PY
expected="i.nunique() on duckdb: 2
i.nunique() on polars: 3
i % 3 on duckdb: [-1, 1, None]
i % 3 on polars: [2, 1, None]
price.round(1) on duckdb: [('1.3'), ('-1.3'), None]
price.round(1) on polars: [('1.2'), ('-1.2'), None]
name.length() on duckdb: [6, 1, None]
name.length() on polars: [7, 1, None]
name.find('b') on duckdb: [-1, 0, None]
name.find('b') on polars: [-1, 0, -1]
a.union([9]) on duckdb: [[1, 9], [9, None], [9]]
a.union([9]) on polars: [[1, 9], [None, 9], None]"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
