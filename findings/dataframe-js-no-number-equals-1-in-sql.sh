#!/usr/bin/env bash
# dataframe-js 1.4.4: in SQL, WHERE i = 1 finds no row, i != 1 finds each, and OR joins before AND.
#
# DataFrame.sql.request() makes a text of the value of a row and a number of the 1 in the query, and
# compares them by their types too: no number equals 1. With i = '1' the row is found. The documentation
# has the example `WHERE column1 = 6`. Conditions are applied from the left, so the rows of `v > 6 OR v >
# 4 AND v < 0` must have v < 0 all. ORDER BY and LIMIT are no error: all rows come, in their old order.
#
# Guess before the run: the rows of SQL, or an error for what is not supported.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" dataframe-js@1.4.4 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import library from 'dataframe-js'

const { DataFrame } = library
const table = new DataFrame([[1, 5], [2, 8], [3, 7], [4, -3]], ['i', 'v'])
DataFrame.sql.registerTable(table, 't')
for (const query of [
  'SELECT i FROM t WHERE i = 1',
  'SELECT i FROM t WHERE i = "1"',
  'SELECT i FROM t WHERE i != 1',
  'SELECT i FROM t WHERE i >= 1 AND i <= 1',
  'SELECT i FROM t WHERE v > 6 OR v > 4 AND v < 0',
  'SELECT i FROM t WHERE v > 4 AND v < 0 OR v > 6',
  'SELECT i FROM t WHERE i > 1 LIMIT 1',
  'SELECT i FROM t ORDER BY v DESC LIMIT 1',
]) {
  console.log(`${query}: ${DataFrame.sql.request(query).toArray('i').join(', ') || 'no rows'}`)
}
JS
expected='SELECT i FROM t WHERE i = 1: no rows
SELECT i FROM t WHERE i = "1": 1
SELECT i FROM t WHERE i != 1: 1, 2, 3, 4
SELECT i FROM t WHERE i >= 1 AND i <= 1: 1
SELECT i FROM t WHERE v > 6 OR v > 4 AND v < 0: no rows
SELECT i FROM t WHERE v > 4 AND v < 0 OR v > 6: 2, 3
SELECT i FROM t WHERE i > 1 LIMIT 1: 2, 3, 4
SELECT i FROM t ORDER BY v DESC LIMIT 1: 1, 2, 3, 4'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
