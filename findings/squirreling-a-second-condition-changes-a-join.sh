#!/usr/bin/env bash
# squirreling 0.12.11 (hyparquet 1.33.0): `ON t.k = u.k` finds no row, `... AND i < j` finds two.
#
# hyparquet, of the same authors, reads INT32 as numbers, INT64 as BigInt, and timestamps as Date.
# squirreling joins by a hash of the key if ON is one comparison of two columns, and compares row by
# row otherwise; the two know equality differently. For the hash 1 and 1n are different, and equal
# times are equal; for `=` the numbers are equal, and two times are equal only if they are one object.
# So a second condition that is true of all rows adds the rows of a join by INT32 and INT64, and takes
# away those of a join by time. IN and a subquery's value compare like `=`, while `>=` and `<=` find
# the equal times.
#
# Guess before the run: a condition that is always true changes no join.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" \
  squirreling@0.12.11 hyparquet@1.33.0 hyparquet-writer@0.17.0 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import { parquetReadObjects } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { collect, executeSql } from 'squirreling'

const day = (text) => new Date(`${text}T00:00:00Z`)
const table = (columnData) => parquetReadObjects({ file: parquetWriteBuffer({ columnData }) })
const tables = {
  t: await table([
    { name: 'i', data: [1, 2, 3], type: 'INT32' },
    { name: 'k', data: [1, 2, 3], type: 'INT32' },
    { name: 'd', data: ['2024-01-01', '2024-01-02', '2024-01-04'].map(day), type: 'TIMESTAMP' },
  ]),
  u: await table([
    { name: 'j', data: [10, 20], type: 'INT32' },
    { name: 'k', data: [1n, 2n], type: 'INT64' },
    { name: 'd', data: ['2024-01-01', '2024-01-03'].map(day), type: 'TIMESTAMP' },
  ]),
}
for (const query of [
  'SELECT i, j FROM t JOIN u ON t.k = u.k',
  'SELECT i, j FROM t JOIN u ON t.k = u.k AND i < j',
  'SELECT i, j FROM t LEFT JOIN u ON t.k = u.k',
  'SELECT i FROM t WHERE k IN (SELECT k FROM u)',
  'SELECT i, j FROM t JOIN u ON t.d = u.d',
  'SELECT i, j FROM t JOIN u ON t.d = u.d AND i < j',
  'SELECT i, j FROM t JOIN u ON t.d >= u.d AND t.d <= u.d',
  'SELECT i FROM t WHERE d IN (SELECT d FROM u)',
  'SELECT i FROM t WHERE d NOT IN (SELECT d FROM u)',
  'SELECT i FROM t WHERE d <> (SELECT min(d) FROM u)',
]) {
  const rows = await collect(executeSql({ tables, query }))
  console.log(`${query}: ${rows.map((row) => `(${Object.values(row)})`).join(' ') || 'no rows'}`)
}
JS
expected='SELECT i, j FROM t JOIN u ON t.k = u.k: no rows
SELECT i, j FROM t JOIN u ON t.k = u.k AND i < j: (1,10) (2,20)
SELECT i, j FROM t LEFT JOIN u ON t.k = u.k: (1,) (2,) (3,)
SELECT i FROM t WHERE k IN (SELECT k FROM u): (1) (2)
SELECT i, j FROM t JOIN u ON t.d = u.d: (1,10)
SELECT i, j FROM t JOIN u ON t.d = u.d AND i < j: no rows
SELECT i, j FROM t JOIN u ON t.d >= u.d AND t.d <= u.d: (1,10)
SELECT i FROM t WHERE d IN (SELECT d FROM u): no rows
SELECT i FROM t WHERE d NOT IN (SELECT d FROM u): (1) (2) (3)
SELECT i FROM t WHERE d <> (SELECT min(d) FROM u): (1) (2) (3)'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
