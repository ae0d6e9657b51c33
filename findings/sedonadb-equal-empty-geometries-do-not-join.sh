#!/usr/bin/env bash
# sedonadb 0.5.0: two empty geometries are ST_Equals as a column and in WHERE, and not as a join.
#
# Two geometries are equal if they have the same points, so all empty ones are, as in PostGIS. SedonaDB
# says so of each pair of a cross join. As the condition of a join ST_Equals goes through an index of
# bounding boxes, and an empty geometry has none: the pair is not found. So an outer join gives the row
# with nulls, EXISTS is false, and an anti join keeps the row. ST_Intersects and ST_Distance, which
# are false or null for an empty geometry, agree.
#
# Guess before the run: JOIN ... ON finds the pairs that WHERE finds.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  'sedonadb==0.5.0' 'geoarrow-pyarrow==0.3.0' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import warnings

warnings.simplefilter("ignore")  # PROJ and GDAL, which nothing here needs, are not there
import sedonadb

con = sedonadb.connect()
for name, column, rows in (
    ("a", "i", "(1, 'POINT (5 5)'), (2, 'POINT EMPTY')"),
    ("b", "j", "(10, 'POINT (5 5)'), (20, 'POINT EMPTY'), (30, 'POLYGON EMPTY')"),
):
    text = f"SELECT {column}, ST_GeomFromText(text) AS {name}g FROM (VALUES {rows}) AS t({column}, text)"
    con.sql(text).to_memtable().to_view(name)
con.sql("SELECT i, j, ag, bg FROM a CROSS JOIN b").to_memtable().to_view("pairs")
for text in (
    "SELECT i, j FROM pairs WHERE ST_Equals(ag, bg)",
    "SELECT i, j FROM a JOIN b ON ST_Equals(ag, bg)",
    "SELECT i, j FROM a LEFT JOIN b ON ST_Equals(ag, bg)",
    "SELECT i FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE ST_Equals(ag, bg))",
    "SELECT i, j FROM pairs WHERE ST_Intersects(ag, bg)",
    "SELECT i, j FROM a JOIN b ON ST_Intersects(ag, bg)",
):
    rows = [tuple(row.values()) for row in con.sql(text).to_arrow_table().to_pylist()]
    print(f"{text}: {sorted(rows, key=repr)}")
PY
expected='SELECT i, j FROM pairs WHERE ST_Equals(ag, bg): [(1, 10), (2, 20), (2, 30)]
SELECT i, j FROM a JOIN b ON ST_Equals(ag, bg): [(1, 10)]
SELECT i, j FROM a LEFT JOIN b ON ST_Equals(ag, bg): [(1, 10), (2, None)]
SELECT i FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE ST_Equals(ag, bg)): [(2,)]
SELECT i, j FROM pairs WHERE ST_Intersects(ag, bg): [(1, 10)]
SELECT i, j FROM a JOIN b ON ST_Intersects(ag, bg): [(1, 10)]'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
