#!/usr/bin/env bash
# pypaimon 2.1.0: one NaN among the keys of a table, and other keys have two rows, or none.
#
# A primary key of type DOUBLE is allowed. Files are merged by comparing keys with < and >, which NaN
# answers with no: files whose keys overlap are not seen to overlap, and are not merged, so that an
# older row stays beside the newer one of its key. Rows of NaN are lost, or not, by what was written
# with them. And 0.0 and -0.0 are two keys by the bounds of files, but one key where files are merged
# for another reason: a later row with the key NaN makes the row of 0.0 go.
#
# Guess before the run: NaN is a bad key, and the harm is done to rows of NaN alone.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pypaimon==2.1.0' 'pyarrow==19.0.1'
cat >"$work/run.py" <<'PY'
import math
import sys

import pyarrow as pa
from pypaimon import CatalogFactory, Schema

catalog = CatalogFactory.create({"warehouse": sys.argv[1]})
catalog.create_database("d", True)
COLUMNS = pa.schema([pa.field("k", pa.float64(), nullable=False), ("v", pa.int64())])


def table(name):
    schema = Schema.from_pyarrow_schema(COLUMNS, primary_keys=["k"], options={"bucket": "1"})
    catalog.create_table(f"d.{name}", schema, False)
    return catalog.get_table(f"d.{name}")


def write(into, *rows):
    builder = into.new_batch_write_builder()
    writer, commit = builder.new_write(), builder.new_commit()
    given = [dict(zip(("k", "v"), row, strict=True)) for row in rows]
    writer.write_arrow(pa.Table.from_pylist(given, schema=COLUMNS))
    commit.commit(writer.prepare_commit())
    writer.close()
    commit.close()


def rows(of):
    builder = of.new_read_builder()
    found = builder.new_read().to_arrow(builder.new_scan().plan().splits()).to_pylist()
    return [(row["k"], row["v"]) for row in found]


plain, mixed, alone, zeros = map(table, ("plain", "mixed", "alone", "zeros"))
for each, third in ((plain, 3.0), (mixed, math.nan)):
    write(each, (1.0, 1), (third, 1), (5.0, 1))
    write(each, (1.0, 2))
    write(each, (5.0, 2))
    print(f"keys 1, {third}, 5, then 1 and 5 again:", rows(each))
for key, value in ((5.0, 1), (3.0, 2), (math.nan, 3), (4.0, 4), (5.0, 5)):
    write(alone, (key, value))
print("5, 3, nan, 4, 5, one by one:", rows(alone))
write(zeros, (0.0, 1))
write(zeros, (-0.0, 2))
print("0.0, -0.0:", rows(zeros))
write(zeros, (math.nan, 3))
print("then nan:", rows(zeros))
PY
expected='keys 1, 3.0, 5, then 1 and 5 again: [(1.0, 2), (3.0, 1), (5.0, 2)]
keys 1, nan, 5, then 1 and 5 again: [(1.0, 2), (1.0, 1), (5.0, 2)]
5, 3, nan, 4, 5, one by one: [(3.0, 2), (4.0, 4), (5.0, 5)]
0.0, -0.0: [(-0.0, 2), (0.0, 1)]
then nan: [(-0.0, 2), (nan, 3)]'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
