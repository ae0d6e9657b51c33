#!/usr/bin/env bash
# alasql 4.19.1: SUM(v) OVER (ORDER BY i) is 0 for each row, and COUNT(*) OVER counts the whole table.
#
# OVER is taken with PARTITION BY and ORDER BY, and none of it is done. Sums are 0 and maxima null,
# whatever the rows; COUNT(*) is that of the table in each partition. ROW_NUMBER() numbers the rows as
# they come, so the newest row of each key, which it is used for, is that of one key alone. RANK() is an
# error, as it should be with what is not there.
#
# Guess before the run: running sums, or an error.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" alasql@4.19.1 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import alasql from 'alasql'

const db = new alasql.Database('finding')
db.exec('CREATE TABLE t (i INT, k STRING, v INT)')
db.exec("INSERT INTO t VALUES (1, 'a', 5), (2, 'a', 6), (3, 'b', 7), (4, 'b', 1)")
for (const window of [
  'SUM(v) OVER (ORDER BY i)',
  'SUM(v) OVER (PARTITION BY k)',
  'MAX(v) OVER (PARTITION BY k)',
  'COUNT(*) OVER (PARTITION BY k)',
  'ROW_NUMBER() OVER (PARTITION BY k ORDER BY i)',
  'ROW_NUMBER() OVER (ORDER BY v)',
]) {
  const rows = db.exec(`SELECT i, ${window} AS w FROM t`)
  console.log(`${window}: ${rows.map(({ w }) => String(w)).join(', ')}`)
}
JS
expected='SUM(v) OVER (ORDER BY i): 0, 0, 0, 0
SUM(v) OVER (PARTITION BY k): 0, 0, 0, 0
MAX(v) OVER (PARTITION BY k): null, null, null, null
COUNT(*) OVER (PARTITION BY k): 4, 4, 4, 4
ROW_NUMBER() OVER (PARTITION BY k ORDER BY i): 1, 2, 3, 4
ROW_NUMBER() OVER (ORDER BY v): 1, 2, 3, 4'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
