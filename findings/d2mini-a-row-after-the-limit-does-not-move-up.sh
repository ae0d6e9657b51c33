#!/usr/bin/env bash
# @electric-sql/d2mini 0.1.8: the first two of three rows are one after the first row has left, and none in the end.
#
# orderByWithFractionalIndex keeps the rows of ORDER BY ... LIMIT up to date and gives each a key of its place, so that
# a row moves without new keys for the others. When a row of the first two leaves, the third does not move up. Rows that
# come later take places of rows that are still there, and rows leave that nobody removed. Without a limit a row that
# is changed twice is there three times, and with a limit of 3 it takes the place of another as well. orderBy, the
# operator without these keys, has the right rows at each step.
#
# Guess before the run: the rows of orderBy.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts '@electric-sql/d2mini@0.1.8' 2>npm ||
  { tail -5 npm; exit 1; }
cat >run.mjs <<'JS'
import { D2, MultiSet, orderBy, orderByWithFractionalIndex, output } from '@electric-sql/d2mini'

const first = ['first', { v: 1 }]
const second = ['second', { v: 2 }]
const third = ['third', { v: 3 }]
const run = (name, operator, options, steps) => {
  const graph = new D2()
  const input = graph.newInput()
  const counts = new Map()
  input.pipe(operator((row) => row.v, options), output((changes) => {
    for (const [[key, value], count] of changes.getInner()) {
      const row = JSON.stringify([key, value])
      counts.set(row, (counts.get(row) ?? 0) + count)
    }
  }))
  graph.finalize()
  const shown = steps.map((changes) => {
    input.sendData(new MultiSet(changes))
    graph.run()
    const rows = [...counts].filter(([, count]) => count !== 0).map(([row, count]) => {
      const [key, value] = JSON.parse(row)
      return key + ' ' + (value.v ?? value[0].v) + (count === 1 ? '' : ' (' + count + ' times)')
    })
    return rows.sort().join(', ') || 'none'
  })
  console.log(`  ${name}: ${shown.join(' | ')}`)
}
const start = [[third, 1], [first, 1], [second, 1]]
const changed = (v) => ['first', { v }]
for (const [what, options, ...steps] of [
  ['limit 2; the first row leaves, a new one of 2.5 comes, one of 0 comes', { limit: 2 },
    [[first, -1]], [[['new', { v: 2.5 }], 1]], [[['zero', { v: 0 }], 1]]],
  ['limit 1; each first row leaves', { limit: 1 }, [[first, -1]], [[second, -1]]],
  ['limit 3; the first row becomes 5, then 0', { limit: 3 },
    [[first, -1], [changed(5), 1]], [[changed(5), -1], [changed(0), 1]]],
  ['no limit; the first row becomes 5, then 0', {},
    [[first, -1], [changed(5), 1]], [[changed(5), -1], [changed(0), 1]]],
]) {
  console.log(what)
  run('orderBy', orderBy, options, [start, ...steps])
  run('orderByWithFractionalIndex', orderByWithFractionalIndex, options, [start, ...steps])
}
JS
expected='limit 2; the first row leaves, a new one of 2.5 comes, one of 0 comes
  orderBy: first 1, second 2 | second 2, third 3 | new 2.5, second 2 | second 2, zero 0
  orderByWithFractionalIndex: first 1, second 2 | second 2 | second 2 | zero 0
limit 1; each first row leaves
  orderBy: first 1 | second 2 | third 3
  orderByWithFractionalIndex: first 1 | none | none
limit 3; the first row becomes 5, then 0
  orderBy: first 1, second 2, third 3 | first 5, second 2, third 3 | first 0, second 2, third 3
  orderByWithFractionalIndex: first 1, second 2, third 3 | first 5, second 2, third 3 | first 0, first 0, second 2
no limit; the first row becomes 5, then 0
  orderBy: first 1, second 2, third 3 | first 5, second 2, third 3 | first 0, second 2, third 3
  orderByWithFractionalIndex: first 1, second 2, third 3 | first 5, first 5, second 2, third 3 | first 0, first 0, first 0, second 2, third 3'
seen=$(node run.mjs 2>errors) || { tail -5 errors; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
