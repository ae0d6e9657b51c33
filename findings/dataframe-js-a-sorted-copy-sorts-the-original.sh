#!/usr/bin/env bash
# dataframe-js 1.4.4: sortBy() sorts the immutable DataFrame itself, and the minimum of 5 and null is 0.
#
# A DataFrame of dataframe-js is immutable: each method gives a new one. sortBy() gives a new one whose
# rows are sorted, and sorts those of the old one as well. So a frame from which a sorted copy was made
# has another first row, and windows or running sums over it change. Frames made by filter() before
# keep their order. stat.min() takes null for 0 where sum() and mean() leave it out; of -5 and null
# stat.max() is 0.
#
# Guess before the run: the first row stays, and 5 is the minimum.
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
const days = new DataFrame([[1, 5], [2, 8], [3, -3]], ['day', 'sold'])
const shown = (frame) => frame.toArray('day').join(' ')
const filtered = days.filter((row) => row.get('day') > 0)
console.log(`days: ${shown(days)}`)
console.log(`sorted by sold: ${shown(days.sortBy('sold'))}`)
console.log(`days: ${shown(days)}`)
console.log(`sorted backwards: ${shown(days.sortBy('sold', true))}`)
console.log(`first of days: ${days.head(1).toArray('day')}`)
console.log(`filtered before: ${shown(filtered)}`)
for (const values of [[5, null, 7], [-5, null, -7]]) {
  const { stat } = new DataFrame(values.map((value) => [value]), ['v'])
  console.log(`${values.map(String)}: min ${stat.min('v')}, max ${stat.max('v')}, sum ${stat.sum('v')}, mean ${stat.mean('v')}`)
}
JS
expected='days: 1 2 3
sorted by sold: 3 1 2
days: 3 1 2
sorted backwards: 2 1 3
first of days: 2
filtered before: 1 2 3
5,null,7: min 0, max 7, sum 12, mean 6
-5,null,-7: min -7, max 0, sum -12, mean -6'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
