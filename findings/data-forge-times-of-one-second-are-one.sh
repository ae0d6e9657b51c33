#!/usr/bin/env bash
# data-forge 1.10.5: times of one second join, group and pivot as if they were one time.
#
# join() finds partners whose keys are equal. data-forge makes a text of each key, and the text of a
# Date has no milliseconds: 12:00:00.100 is joined with .500 and .900, groupBy() puts them into one
# group and pivot() into one row. Series.merge() by such an index keeps the last value of a second and
# loses the others. distinct() takes the times for distinct, and intersection() finds not even those
# which are equal. Number and text join too: 1 with "1".
#
# Guess before the run: two times are equal if their milliseconds are.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" data-forge@1.10.5 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import { DataFrame, Series } from 'data-forge'

const at = (millis) => new Date(Date.UTC(2024, 0, 1, 12, 0, 0, millis))
const orders = new DataFrame([100, 900, 1500].map((millis) => ({ at: at(millis), order: millis, n: 1 })))
const prices = new DataFrame([500, 900].map((millis) => ({ at: at(millis), price: millis })))
const key = (row) => row.at
const both = (order, price) => `${order?.order} ${price?.price}`
console.log(`join: ${orders.join(prices, key, key, both).toArray().join(', ')}`)
console.log(`left join: ${orders.joinOuterLeft(prices, key, key, both).toArray().join(', ')}`)
console.log(`groups: ${orders.groupBy(key).select((group) => group.count()).toArray().join(', ')}`)
console.log(`pivot: ${orders.pivot('at', 'n', (n) => n.sum()).toArray().map(({ n }) => n).join(', ')}`)
console.log(`distinct: ${orders.distinct(key).count()}`)
console.log(`intersection: ${orders.intersection(prices, key, key).count()}`)
const series = (...millis) => new Series({ index: millis.map(at), values: millis })
const merged = Series.merge([series(100, 900), series(500, 900)]).toPairs()
console.log(`merged: ${merged.map(([time, values]) => `${time.toISOString()} ${values.join(' ')}`).join(', ')}`)
const texts = new DataFrame([{ at: '1', price: 7 }])
console.log(`1 and text: ${new DataFrame([{ at: 1, order: 1 }]).join(texts, key, key, both).toArray().join(', ')}`)
JS
expected='join: 100 500, 100 900, 900 500, 900 900
left join: 100 undefined, 900 undefined, 1500 undefined, 100 500, 100 900, 900 500, 900 900
groups: 2, 1
pivot: 2, 1
distinct: 3
intersection: 0
merged: 2024-01-01T12:00:00.100Z 900 900
1 and text: 1 7'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
