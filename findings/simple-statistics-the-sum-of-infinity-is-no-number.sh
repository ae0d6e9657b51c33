#!/usr/bin/env bash
# simple-statistics 7.12.1: the sum of infinity and 1 is NaN, and the sum of 1e308 twice and -1e308 too.
#
# sum() keeps what rounding has lost beside the sum, so that 1e100, 1 and -1e100 are 1. Once the sum is infinite, what
# was lost is infinity minus infinity, NaN, and so is the result, with the mean and all that begins with it: the
# variance, the deviation, a z-score. sumSimple() adds without that care and has infinity, as + has. So a number that
# says too large becomes one that says nothing. fsum() of d3, which takes the same care, has infinity where a value is.
#
# Guess before the run: infinity.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts 'simple-statistics@7.12.1' 'd3-array@3.2.4' 2>npm ||
  { tail -5 npm; exit 1; }
cat >run.mjs <<'JS'
import { fsum } from 'd3-array'
import { mean, rootMeanSquare, sum, sumSimple } from 'simple-statistics'

for (const values of [[1, 2], [1e100, 1, -1e100], [1, Infinity], [Infinity], [-Infinity, 1], [1e308, 1e308], [Infinity, -Infinity]]) {
  console.log(`${values}: sum ${sum(values)}, mean ${mean(values)}, plain sum ${sumSimple(values)}, d3 ${fsum(values)}`)
}
JS
expected='1,2: sum 3, mean 1.5, plain sum 3, d3 3
1e+100,1,-1e+100: sum 1, mean 0.3333333333333333, plain sum 0, d3 1
1,Infinity: sum NaN, mean NaN, plain sum Infinity, d3 Infinity
Infinity: sum Infinity, mean Infinity, plain sum Infinity, d3 Infinity
-Infinity,1: sum NaN, mean NaN, plain sum -Infinity, d3 -Infinity
1e+308,1e+308: sum NaN, mean NaN, plain sum Infinity, d3 NaN
Infinity,-Infinity: sum NaN, mean NaN, plain sum NaN, d3 NaN'
seen=$(node run.mjs 2>errors) || { tail -5 errors; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
