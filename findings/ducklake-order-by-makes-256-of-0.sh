#!/usr/bin/env bash
# ducklake extension of DuckDB 1.5.5: ORDER BY k turns 0 into 256, and a million into 64.
#
# A table is partitioned by p. One INSERT writes two files: in the first all k are null, in the
# second k is 0. The statistics of the table start with the file of nulls, which has no bounds, and
# stay without any: the next INSERT, of 6, makes 6 the least and the greatest k of the whole table.
# DuckDB trusts them: it packs k into one byte for ORDER BY and DISTINCT, answers min and max from
# them, and drops `k = 0` from a filter. With the partitions named in the other order all is right,
# and the statistics of each file are right in both. Only GROUP BY notices, and raises an error.
#
# Guess before the run: the order of the rows in an INSERT changes no value.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'duckdb==1.5.5' 'duckdb-extension-ducklake==1.5.5'
cat >"$work/run.py" <<'PY'
import importlib.resources
import sys

import duckdb

con = duckdb.connect()
(extension,) = importlib.resources.files("duckdb_extension_ducklake").glob("**/*.duckdb_extension")
con.execute(f"LOAD '{extension}'")
con.execute(f"ATTACH 'ducklake:{sys.argv[1]}/lake' AS lake (DATA_INLINING_ROW_LIMIT 0)")
con.execute("USE lake")
for first in ("(1, 0), (2, NULL)", "(1, NULL), (2, 0)", "(1, NULL), (2, 1000000)"):
    con.execute("CREATE OR REPLACE TABLE t (p INTEGER, k INTEGER)")
    con.execute("ALTER TABLE t SET PARTITIONED BY (p)")
    con.execute(f"INSERT INTO t VALUES {first}")
    con.execute("INSERT INTO t VALUES (2, 6)")
    print(f"{first}, then (2, 6):")
    for query in (
        "SELECT k FROM t",
        "SELECT k FROM t ORDER BY k",
        "SELECT DISTINCT k FROM t",
        "SELECT min(k), max(k) FROM t",
        "SELECT k FROM t WHERE k = 0 OR k IS NULL",
        "SELECT a.k FROM t a JOIN t b USING (k)",
    ):
        rows = con.execute(query).fetchall()
        rows = rows if "ORDER" in query else sorted(rows, key=str)
        print(f"  {query}:", *(row[0] if len(row) == 1 else row for row in rows))
PY
expected='(1, 0), (2, NULL), then (2, 6):
  SELECT k FROM t: 0 6 None
  SELECT k FROM t ORDER BY k: 0 6 None
  SELECT DISTINCT k FROM t: 0 6 None
  SELECT min(k), max(k) FROM t: (0, 6)
  SELECT k FROM t WHERE k = 0 OR k IS NULL: 0 None
  SELECT a.k FROM t a JOIN t b USING (k): 0 6
(1, NULL), (2, 0), then (2, 6):
  SELECT k FROM t: 0 6 None
  SELECT k FROM t ORDER BY k: 6 256 None
  SELECT DISTINCT k FROM t: 256 6 None
  SELECT min(k), max(k) FROM t: (6, 6)
  SELECT k FROM t WHERE k = 0 OR k IS NULL: None
  SELECT a.k FROM t a JOIN t b USING (k): 6
(1, NULL), (2, 1000000), then (2, 6):
  SELECT k FROM t: 1000000 6 None
  SELECT k FROM t ORDER BY k: 6 64 None
  SELECT DISTINCT k FROM t: 6 64 None
  SELECT min(k), max(k) FROM t: (6, 6)
  SELECT k FROM t WHERE k = 0 OR k IS NULL: None
  SELECT a.k FROM t a JOIN t b USING (k): 6'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
