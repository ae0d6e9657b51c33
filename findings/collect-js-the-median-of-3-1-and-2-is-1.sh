#!/usr/bin/env bash
# collect.js 4.36.1: the median of 3, 1 and 2 is 1, the value in the middle of the list.
#
# median() of a collection, or of a column of its rows, takes what stands in the middle, or half the way between the two
# in the middle, without a sort. Only a sorted collection has its median. A group comes in the order of its rows, so
# that the median of each depends on it. The library follows the collections of Laravel, which sort first. Beside it
# avg() and sum() are NaN as soon as one row has null or no value, and min() is 0 for that null.
#
# Guess before the run: 2 and 2.5; null and rows without a value left out.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts 'collect.js@4.36.1' 2>npm ||
  { tail -5 npm; exit 1; }
cat >run.mjs <<'JS'
import collect from 'collect.js'

for (const values of [[1, 2, 3], [3, 1, 2], [1, 10, 2], [1, 2, 3, 10], [3, 1, 2, 10], [10, 1, 2, 3]]) {
  const rows = collect(values.map((v) => ({ v })))
  console.log(`${values}: median ${collect(values).median()}, of rows ${rows.median('v')}, sorted ${rows.sortBy('v').median('v')}`)
}
const rows = collect([{ k: 'a', v: 3 }, { k: 'b', v: 8 }, { k: 'a', v: 1 }, { k: 'b', v: 9 }, { k: 'a', v: 2 }])
rows.groupBy('k').each((group, k) => console.log(`group ${k}: median ${group.median('v')}`))
const missing = collect([{ v: 3 }, { v: null }, { v: 5 }])
console.log(`3, null, 5: avg ${missing.avg('v')}, sum ${missing.sum('v')}, min ${missing.min('v')}, max ${missing.max('v')}`)
JS
expected='1,2,3: median 2, of rows 2, sorted 2
3,1,2: median 1, of rows 1, sorted 2
1,10,2: median 10, of rows 10, sorted 2
1,2,3,10: median 2.5, of rows 2.5, sorted 2.5
3,1,2,10: median 1.5, of rows 1.5, sorted 2.5
10,1,2,3: median 1.5, of rows 1.5, sorted 2.5
group a: median 1
group b: median 8.5
3, null, 5: avg NaN, sum NaN, min 0, max 5'
seen=$(node run.mjs 2>errors) || { tail -5 errors; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
