#!/usr/bin/env bash
# deltalake 1.6.6: `delete("price = 1.105")` deletes the row whose price is 1.11.
#
# A SELECT compares a decimal column with the number that is written. A DELETE, an UPDATE, the
# conditions of a MERGE and an overwrite with a predicate round the number to the scale of the
# column first: 1.105 is taken for 1.11 in a decimal(9,2). So `=` and `IN` hit rows that are not
# meant, and `>` misses a row that is. The same predicate in a SELECT on the same table finds other
# rows than the DELETE takes.
#
# Guess before the run: DELETE takes the rows that SELECT shows.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'deltalake==1.6.6' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import sys
from decimal import Decimal

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake

prices = pa.array([Decimal("1.10"), Decimal("1.11")], pa.decimal128(9, 2))
for number, predicate in enumerate(("price = 1.105", "price IN (1.105)", "price > 1.105")):
    folder = f"{sys.argv[1]}/{number}"
    write_deltalake(folder, pa.table({"price": prices}))
    query = QueryBuilder().register("t", DeltaTable(folder))
    found = pa.table(query.execute(f"SELECT price FROM t WHERE {predicate}").read_all())
    DeltaTable(folder).delete(predicate)
    left = DeltaTable(folder).to_pyarrow_table()["price"].to_pylist()
    gone = [str(price) for price in prices.to_pylist() if price not in left]
    shown = [str(v) for v in found.to_pydict().get("price", [])]
    print(f"{predicate}: SELECT shows {shown}, DELETE takes {gone}")
PY
expected="price = 1.105: SELECT shows [], DELETE takes ['1.11']
price IN (1.105): SELECT shows [], DELETE takes ['1.11']
price > 1.105: SELECT shows ['1.11'], DELETE takes []"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
