#!/usr/bin/env bash
# pondjs 0.9.0: the deviation of 1, 4 and a missing value is 1.22, that of 1 and 4 is 1.5.
#
# The functions of a time series leave missing values out by default: avg, median, sum and count of 1, 4 and null
# are those of 1 and 4. stdev leaves null out of the mean and of the squares, and divides by the number of all
# points. So the deviation shrinks with each point that has no value, in aggregate() and in a rollup by windows,
# and two missing points beside 1 and 4 give 1.06. ignoreMissing, named by hand, changes nothing. No value at all
# has the deviation 0, where avg has NaN.
#
# Guess before the run: 1.5, as for 1 and 4.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund 'pondjs@0.9.0' '@babel/runtime@7.25.0'
cat >run.mjs <<'JS'
import pond from 'pondjs'

const { TimeSeries, avg, count, filter, median, stdev, sum } = pond
const shown = (value) => (value === undefined ? 'none' : Number.isNaN(value) ? 'NaN' : +value.toFixed(4))
for (const values of [[1, 4], [1, 4, null], [1, null, 4, null], [5, 5, null], [null]]) {
  const points = values.map((value, index) => [1000 * (index + 1), value])
  const series = new TimeSeries({ name: 's', columns: ['time', 'v'], points })
  const of = (what) => shown(series.collection().aggregate(what, 'v'))
  const rollup = series.fixedWindowRollup({ windowSize: '1m', aggregation: { v: { v: stdev() } } })
  console.log(
    `${values.map((v) => v ?? 'null').join(', ')}: count ${of(count())}, sum ${of(sum())}, avg ${of(avg())}, median ${of(median())},`,
    `stdev ${of(stdev())}, by name ${of(stdev(filter.ignoreMissing))}, in a window ${shown(rollup.at(0).get('v'))}`,
  )
}
JS
expected='1, 4: count 2, sum 5, avg 2.5, median 2.5, stdev 1.5, by name 1.5, in a window 1.5
1, 4, null: count 2, sum 5, avg 2.5, median 2.5, stdev 1.2247, by name 1.2247, in a window 1.2247
1, null, 4, null: count 2, sum 5, avg 2.5, median 2.5, stdev 1.0607, by name 1.0607, in a window 1.0607
5, 5, null: count 2, sum 10, avg 5, median 5, stdev 0, by name 0, in a window 0
null: count 0, sum 0, avg NaN, median NaN, stdev 0, by name 0, in a window 0'
seen=$(node run.mjs 2>errors) || { tail -5 errors; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
