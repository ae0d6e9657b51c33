#!/usr/bin/env bash
# blinkdb 0.14.0: watch() of rows sorted by v leaves a row where it was after its v became the largest.
#
# watch() calls back with the result of the query whenever that changes, sorted as the query says. A row that
# comes is put into its place by binary search. A row that changes stays at its place, whatever it is sorted by
# now, and the search of the next row that comes goes through a list that is out of order: 2 comes first of
# 2, 9, 2, 1. many() of the same query is right. With a limit, the live list has other rows than the query.
#
# Guess before the run: the rows of many(), in that order, after each change.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" blinkdb@0.14.0 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import { createDB, createTable, insert, many, remove, update, watch } from 'blinkdb'

const shown = (rows) => rows.map(({ id, v }) => `${id} ${v}`).join(', ')
const sort = { key: 'v', order: 'asc' }
for (const [name, query] of [['sorted', { sort }], ['the least two', { sort, limit: { take: 2 } }]]) {
  const table = createTable(createDB(), 't')({ primary: 'id' })
  let live
  await watch(table, query, (rows) => { live = shown(rows) })
  for (const [change, row] of [
    [insert, { id: 'a', v: 1 }],
    [insert, { id: 'b', v: 2 }],
    [insert, { id: 'c', v: 3 }],
    [update, { id: 'a', v: 9 }],
    [update, { id: 'c', v: 0 }],
    [insert, { id: 'd', v: 1 }],
    [remove, { id: 'c' }],
  ]) {
    await change(table, row)
    console.log(`${name}, ${change.name} ${row.id} ${row.v ?? ''}: live ${live}; asked ${shown(await many(table, query))}`)
  }
}
JS
expected='sorted, insert a 1: live a 1; asked a 1
sorted, insert b 2: live a 1, b 2; asked a 1, b 2
sorted, insert c 3: live a 1, b 2, c 3; asked a 1, b 2, c 3
sorted, update a 9: live a 9, b 2, c 3; asked b 2, c 3, a 9
sorted, update c 0: live a 9, b 2, c 0; asked c 0, b 2, a 9
sorted, insert d 1: live d 1, a 9, b 2, c 0; asked c 0, d 1, b 2, a 9
sorted, remove c : live d 1, a 9, b 2; asked d 1, b 2, a 9
the least two, insert a 1: live a 1; asked a 1
the least two, insert b 2: live a 1, b 2; asked a 1, b 2
the least two, insert c 3: live a 1, b 2; asked a 1, b 2
the least two, update a 9: live a 9, b 2; asked b 2, c 3
the least two, update c 0: live a 9, b 2; asked c 0, b 2
the least two, insert d 1: live d 1, a 9; asked c 0, d 1
the least two, remove c : live d 1, a 9; asked d 1, b 2'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
