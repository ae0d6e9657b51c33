#!/usr/bin/env bash
# reductio 1.0.0 (crossfilter2 1.5.4): a filter hides all rows, and the group's exceptionSum is -2; without it, -1.
#
# reductio keeps aggregates of crossfilter's groups while filters let rows in and out. exceptionSum takes one value
# for each value of another field, such as the price of an order that has several lines: here that of the first
# row with an x and that of the first with a y. A row that leaves as the last of its kind takes its own value off
# again, not the one that was added. If the rows of a kind differ, the sum of no rows is not 0, and each filter
# that comes and goes moves it further. The count beside it is right, and so are sum, avg and the extremes.
#
# Guess before the run: 0 for no rows, and the first sum again after the filter.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts 'reductio@1.0.0' 'crossfilter2@1.5.4'
cat >run.cjs <<'JS'
const crossfilter = require('crossfilter2')
const reductio = require('./node_modules/reductio/reductio.js')

const rows = crossfilter([
  { id: 1, g: 'differ', kind: 'x', v: 1 },
  { id: 2, g: 'differ', kind: 'y', v: 5 },
  { id: 3, g: 'differ', kind: 'x', v: 3 },
  { id: 4, g: 'equal', kind: 'x', v: 2 },
  { id: 5, g: 'equal', kind: 'x', v: 2 },
])
const ids = rows.dimension((row) => row.id)
const groups = rows.dimension((row) => row.g).group()
reductio().count(true).sum((row) => row.v).exception((row) => row.kind).exceptionCount(true).exceptionSum((row) => row.v)(groups)
const show = (what) => {
  const shown = groups.all().map(({ key, value: v }) => `${key}: count ${v.count} sum ${v.sum} exceptionCount ${v.exceptionCount} exceptionSum ${v.exceptionSum}`)
  console.log(`${what}\n  ${shown.join('\n  ')}`)
}
show('all rows')
for (let time = 1; time <= 2; time++) {
  ids.filter(0)
  show('no rows')
  ids.filterAll()
  show('all rows again')
}
ids.filterRange([3, 9])
show('rows 3, 4 and 5')
JS
expected='all rows
  differ: count 3 sum 9 exceptionCount 2 exceptionSum 6
  equal: count 2 sum 4 exceptionCount 1 exceptionSum 2
no rows
  differ: count 0 sum 0 exceptionCount 0 exceptionSum -2
  equal: count 0 sum 0 exceptionCount 0 exceptionSum 0
all rows again
  differ: count 3 sum 9 exceptionCount 2 exceptionSum 4
  equal: count 2 sum 4 exceptionCount 1 exceptionSum 2
no rows
  differ: count 0 sum 0 exceptionCount 0 exceptionSum -4
  equal: count 0 sum 0 exceptionCount 0 exceptionSum 0
all rows again
  differ: count 3 sum 9 exceptionCount 2 exceptionSum 2
  equal: count 2 sum 4 exceptionCount 1 exceptionSum 2
rows 3, 4 and 5
  differ: count 1 sum 3 exceptionCount 1 exceptionSum -3
  equal: count 2 sum 4 exceptionCount 1 exceptionSum 2'
seen=$(node run.cjs 2>errors) || { tail -5 errors; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
