#!/usr/bin/env bash
# @datadog/sketches-js 2.1.1: 1 and 2 merged with -5 and -4 have the median 2, the minimum -5 and no negative quantile.
#
# A DDSketch has a store for positive and one for negative values. merge() adds the positive store of the other sketch,
# its number of zeros, its count, its sum and its extremes, and leaves out the negative store. So count and sum are
# those of all values, and the quantiles know nothing of -5 and -4: the ranks past the positive values have the largest
# of them. The other way round all values are there, and an empty sketch takes over both stores.
#
# Guess before the run: within 1 per cent the quantiles of one sketch that accepted all four.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts '@datadog/sketches-js@2.1.1' 2>npm ||
  { tail -5 npm; exit 1; }
cat >run.mjs <<'JS'
import sketches from '@datadog/sketches-js'

const sketch = (...values) => {
  const made = new sketches.DDSketch({ relativeAccuracy: 0.01 })
  values.forEach((value) => made.accept(value))
  return made
}
const show = (name, of) => {
  const quantiles = [0, 0.25, 0.5, 0.75, 1].map((rank) => of.getValueAtQuantile(rank).toFixed(1))
  console.log(`${name}: count ${of.count}, sum ${of.sum}, min ${of.min}, max ${of.max}, quantiles ${quantiles.join(' ')}`)
}
for (const [left, right] of [[[1, 2], [-5, -4]], [[-5, -4], [1, 2]], [[-1, 1], [-5, 5]], [[0], [-3, -4]], [[], [-3, -4]]]) {
  const merged = sketch(...left)
  merged.merge(sketch(...right))
  show(`[${left}] with [${right}]`, merged)
  show('  in one sketch', sketch(...left, ...right))
}
JS
expected='[1,2] with [-5,-4]: count 4, sum -6, min -5, max 2, quantiles 1.0 1.0 2.0 2.0 2.0
  in one sketch: count 4, sum -6, min -5, max 2, quantiles -5.0 -5.0 -4.0 1.0 2.0
[-5,-4] with [1,2]: count 4, sum -6, min -5, max 2, quantiles -5.0 -5.0 -4.0 1.0 2.0
  in one sketch: count 4, sum -6, min -5, max 2, quantiles -5.0 -5.0 -4.0 1.0 2.0
[-1,1] with [-5,5]: count 4, sum 0, min -5, max 5, quantiles -1.0 -1.0 1.0 5.0 5.0
  in one sketch: count 4, sum 0, min -5, max 5, quantiles -5.0 -5.0 -1.0 1.0 5.0
[0] with [-3,-4]: count 3, sum -7, min -4, max 0, quantiles 0.0 0.0 0.0 0.0 0.0
  in one sketch: count 3, sum -7, min -4, max 0, quantiles -4.0 -4.0 -3.0 -3.0 0.0
[] with [-3,-4]: count 2, sum -7, min -4, max -3, quantiles -4.0 -4.0 -4.0 -4.0 -3.0
  in one sketch: count 2, sum -7, min -4, max -3, quantiles -4.0 -4.0 -4.0 -4.0 -3.0'
seen=$(node run.mjs 2>errors) || { tail -5 errors; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
