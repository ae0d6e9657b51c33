#!/usr/bin/env bash
# vega 6.4.0: of one row with 7, a live aggregate has the minimum 3, the median 7, the maximum 9.
#
# A view's aggregate follows the rows that are inserted and removed, and looks for a new minimum
# once its row has gone. It keeps the extremes that it found, and the quartiles, and one mark for
# both of whether they are up to date: a median, q1 or q3 in the same aggregate, as in a box plot,
# sets the mark for the extremes as well. From the second removal on, min and max stay what they
# were, also if they stand before the median. Without the median they are right, as is all else.
#
# Guess before the run: what else an aggregate counts does not change its minimum.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund 'vega@6.4.0' 'vega-transforms@5.2.2'
cat >run.mjs <<'JS'
import { View, changeset, parse } from 'vega'

for (const ops of [['min', 'mean', 'max'], ['min', 'median', 'max'], ['min', 'max', 'q1', 'q3']]) {
  const aggregate = { type: 'aggregate', ops, fields: ops.map(() => 'v'), as: ops }
  const view = new View(parse({ data: [{ name: 't' }, { name: 'live', source: 't', transform: [aggregate] }] }))
  const show = () => ops.map((op) => `${op} ${view.data('live')[0][op]}`).join(', ')
  await view.change('t', changeset().insert([1, 3, 5, 7, 9].map((v) => ({ v })))).runAsync()
  console.log(`1 3 5 7 9: ${show()}`)
  for (const gone of [1, 3, 9, 5]) {
    await view.change('t', changeset().remove((row) => row.v === gone)).runAsync()
    console.log(`  ${view.data('t').map((row) => row.v).join(' ')}: ${show()}`)
  }
}
JS
expected='1 3 5 7 9: min 1, mean 5, max 9
  3 5 7 9: min 3, mean 6, max 9
  5 7 9: min 5, mean 7, max 9
  5 7: min 5, mean 6, max 7
  7: min 7, mean 7, max 7
1 3 5 7 9: min 1, median 5, max 9
  3 5 7 9: min 3, median 6, max 9
  5 7 9: min 3, median 7, max 9
  5 7: min 3, median 6, max 9
  7: min 3, median 7, max 9
1 3 5 7 9: min 1, max 9, q1 3, q3 7
  3 5 7 9: min 3, max 9, q1 4.5, q3 7.5
  5 7 9: min 3, max 9, q1 6, q3 8
  5 7: min 3, max 9, q1 5.5, q3 6.5
  7: min 3, max 9, q1 7, q3 7'
seen=$(node run.mjs 2>errors) || { tail -5 errors; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
