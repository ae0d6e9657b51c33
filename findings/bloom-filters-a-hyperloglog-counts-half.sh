#!/usr/bin/env bash
# bloom-filters 3.0.4: a HyperLogLog of 4096 registers counts 1000 values as 494, and one value as 0.
#
# With so many registers the error of a HyperLogLog is 1.6 per cent, and less for a few values. This one
# counts about half of them as long as they are fewer than the registers: 10 are 5, 1000 are 494, and
# the union of two sets of 1000 is 1002. With 128 registers 1000 are 973, but 100 are 52. So a count is
# right or half as large by how many values there are. accuracy() promises the 1.6 per cent. A CountMinSketch
# that was merged has the counts of both, and the sum of one.
#
# Guess before the run: 1, 10, about 1000 and about 2000.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" bloom-filters@3.0.4 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import library from 'bloom-filters'

const { CountMinSketch, HyperLogLog } = library
const sketch = (registers, prefix, count) => {
  const made = new HyperLogLog(registers)
  for (let value = 0; value < count; value++) made.update(prefix + value)
  return made
}
for (const registers of [4096, 128]) {
  console.log(`${registers} registers, error ${(100 * new HyperLogLog(registers).accuracy()).toFixed(1)}%:`)
  for (const count of [1, 10, 100, 1000]) {
    console.log(`  ${count} values: ${sketch(registers, 'x', count).count().toFixed(1)}`)
  }
}
const both = sketch(4096, 'x', 1000).merge(sketch(4096, 'y', 1000))
console.log(`1000 values and 1000 others: ${both.count().toFixed(1)}`)
const [left, right] = [3, 4].map((times) => {
  const counts = new CountMinSketch(2048, 5)
  counts.update('a', times)
  return counts
})
left.merge(right)
console.log(`merged counts: a ${left.count('a')}, sum ${left.sum}`)
JS
expected='4096 registers, error 1.6%:
  1 values: 0.0
  10 values: 5.0
  100 values: 55.4
  1000 values: 493.6
128 registers, error 9.2%:
  1 values: 0.0
  10 values: 5.1
  100 values: 52.4
  1000 values: 973.3
1000 values and 1000 others: 1002.2
merged counts: a 7, sum 3'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
