#!/usr/bin/env bash
# datalib 1.9.3: the correlation of 1, 2, 3, 4, null and 2, 4, 6, 8, 100 is -1.09.
#
# A correlation is between -1 and 1, and that of the four pairs is 1. datalib's sums leave missing values out: the
# means and deviations are those of four numbers on one side and five on the other, and the null counts as 0 in the
# products. cor() puts them together and divides by all rows. So one row without a value turns a perfect
# correlation into one that no numbers have, silently. covariance() of the same arrays is an error that says that
# the valid values must align. A correlation by ranks takes null for the smallest value.
#
# Guess before the run: 1, by the pairs that are complete, or the error of covariance().
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts 'datalib@1.9.3'
cat >run.cjs <<'JS'
const dl = require('datalib')

const one = (f) => {
  try {
    return f().toFixed(4)
  } catch (error) {
    return `error: ${error.message}`
  }
}
for (const [a, b] of [
  [[1, 2, 3, 4], [2, 4, 6, 8]],
  [[1, 2, 3, 4, null], [2, 4, 6, 8, 100]],
  [[1, 2, 3, 4, null], [2, 4, 6, 8, null]],
  [[1, 2, 3, 4, null], [-2, -4, -6, -8, 100]],
  [[10, 20, null], [1, 2, 9]],
]) {
  const rows = a.map((x, i) => ({ x, y: b[i] }))
  console.log(`${JSON.stringify(a)} ${JSON.stringify(b)}: cor ${one(() => dl.cor(a, b))}, of rows ${one(() => dl.cor(rows, 'x', 'y'))}, covariance ${one(() => dl.covariance(a, b))}`)
}
JS
expected='[1,2,3,4] [2,4,6,8]: cor 1.0000, of rows 1.0000, covariance 3.3333
[1,2,3,4,null] [2,4,6,8,100]: cor -1.0924, of rows -1.0924, covariance error: Valid values must align.
[1,2,3,4,null] [2,4,6,8,null]: cor -0.1875, of rows -0.1875, covariance 3.3333
[1,2,3,4,null] [-2,-4,-6,-8,100]: cor -1.0710, of rows -1.0710, covariance error: Valid values must align.
[10,20,null] [1,2,9]: cor -2.1089, of rows -2.1089, covariance error: Valid values must align.'
seen=$(node run.cjs 2>errors) || { tail -5 errors; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
