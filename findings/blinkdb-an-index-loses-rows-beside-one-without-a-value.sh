#!/usr/bin/env bash
# blinkdb 0.14.0: with an index on v, { v: { gt: 0 } } of 0, 2 and a row without v finds nothing.
#
# An index changes how rows are found, not which. The index on v is a tree in the order of v, and a row without
# v is put into it as undefined, which is neither less nor greater than any number. A range without an upper end
# finds no row then, in whatever order the rows came; one with an upper end, or no row without v, is right. The
# row without v is found by no range, with the index or without.
#
# Guess before the run: the same rows with the index and without.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" blinkdb@0.14.0 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import { createDB, createTable, insert, many } from 'blinkdb'

for (const values of [[0, 2, undefined], [undefined, 0, 2], [3, undefined], [undefined, 3, undefined], [1, 2, 3]]) {
  const tables = [createTable(createDB(), 't')({ primary: 'id' }), createTable(createDB(), 't')({ primary: 'id', indexes: ['v'] })]
  for (const table of tables) {
    for (const [id, v] of values.entries()) {
      await insert(table, v === undefined ? { id } : { id, v })
    }
  }
  for (const condition of [{ gt: 0 }, { gte: 2 }, { lte: 3 }, { between: [1, 3] }]) {
    const found = []
    for (const table of tables) {
      const rows = await many(table, { where: { v: condition } })
      found.push(rows.map(({ v }) => v).sort().join(', ') || 'nothing')
    }
    console.log(`${JSON.stringify(condition)} of ${values.map((v) => v ?? '-').join(', ')}: ${found[0]}; with an index ${found[1]}`)
  }
}
JS
expected='{"gt":0} of 0, 2, -: 2; with an index nothing
{"gte":2} of 0, 2, -: 2; with an index nothing
{"lte":3} of 0, 2, -: 0, 2; with an index 0, 2
{"between":[1,3]} of 0, 2, -: 2; with an index 2
{"gt":0} of -, 0, 2: 2; with an index nothing
{"gte":2} of -, 0, 2: 2; with an index nothing
{"lte":3} of -, 0, 2: 0, 2; with an index 0, 2
{"between":[1,3]} of -, 0, 2: 2; with an index 2
{"gt":0} of 3, -: 3; with an index nothing
{"gte":2} of 3, -: 3; with an index nothing
{"lte":3} of 3, -: 3; with an index 3
{"between":[1,3]} of 3, -: 3; with an index 3
{"gt":0} of -, 3, -: 3; with an index nothing
{"gte":2} of -, 3, -: 3; with an index nothing
{"lte":3} of -, 3, -: 3; with an index 3
{"between":[1,3]} of -, 3, -: 3; with an index 3
{"gt":0} of 1, 2, 3: 1, 2, 3; with an index 1, 2, 3
{"gte":2} of 1, 2, 3: 2, 3; with an index 2, 3
{"lte":3} of 1, 2, 3: 1, 2, 3; with an index 1, 2, 3
{"between":[1,3]} of 1, 2, 3: 1, 2, 3; with an index 1, 2, 3'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
