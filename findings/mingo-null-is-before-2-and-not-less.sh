#!/usr/bin/env bash
# mingo 7.2.7: null is sorted before 2, $cmp says so too, and { $lt: [null, 2] } is false.
#
# In MongoDB $lt, $gt and their kin compare values of two types by the order of the types, as sorting
# does: null before numbers, numbers before texts. So $expr finds the rows without a price among those
# below 2, and $cond puts them there. mingo sorts by that order, and $cmp gives -1 and 1 by it, but
# $lt, $lte, $gt and $gte are false as soon as the types differ: neither of two values is less.
# The README says how mingo differs from MongoDB, and names nothing of this.
#
# Guess before the run: $lt is true where $cmp is -1.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" mingo@7.2.7 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import { Aggregator } from 'mingo'

const rows = [{ _id: 1, price: 1 }, { _id: 2, price: null }, { _id: 3 }, { _id: 4, price: 5 }, { _id: 5, price: 'free' }]
const ids = (...stages) => new Aggregator([...stages]).run(structuredClone(rows)).map(({ _id }) => _id).join(', ')
console.log(`sorted: ${ids({ $sort: { price: 1, _id: 1 } })}`)
for (const [name, condition] of [
  ['$cmp is -1', { $eq: [{ $cmp: ['$price', 2] }, -1] }],
  ['$lt', { $lt: ['$price', 2] }],
  ['$lte', { $lte: ['$price', 2] }],
  ['not $gte', { $not: [{ $gte: ['$price', 2] }] }],
  ['$cmp is 1', { $eq: [{ $cmp: ['$price', 2] }, 1] }],
  ['$gt', { $gt: ['$price', 2] }],
]) {
  console.log(`${name}: ${ids({ $match: { $expr: condition } })}`)
}
JS
expected='sorted: 2, 3, 1, 4, 5
$cmp is -1: 1, 2, 3
$lt: 1
$lte: 1
not $gte: 1, 2, 3, 5
$cmp is 1: 4, 5
$gt: 4'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
