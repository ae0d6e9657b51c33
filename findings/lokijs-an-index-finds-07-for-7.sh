#!/usr/bin/env bash
# lokijs 1.5.12: with an index, $in: ["7"] finds "07" and 7 as well, and 5 finds the date of 1970.
#
# LokiJS compares strictly by $eq and $in: the text "7" is neither "07" nor the number 7. With an index
# on the field, $in looks each value up in it, where texts that look like numbers are equal if the
# numbers are, and takes all that it finds: zip codes "07" and "7" are one. $eq looks again at what it
# found, and so leaves "07" out, but not a Date whose milliseconds are the number.
#
# Guess before the run: an index changes the speed alone.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" lokijs@1.5.12 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import Loki from 'lokijs'

const values = ['7', '07', 7, '7.0', '1e1', '10', 5, new Date(5)]
for (const indices of [[], ['v']]) {
  const table = new Loki('finding').addCollection('t', { indices })
  values.forEach((v) => table.insert({ v }))
  console.log(indices.length ? 'with an index:' : 'without:')
  for (const condition of [{ $in: ['7'] }, { $in: ['7', '10'] }, { $in: [5] }, { $eq: '7' }, { $eq: 5 }, { $ne: 5 }]) {
    const found = table.find({ v: condition }).map(({ v }) => JSON.stringify(v)).sort()
    console.log(`  ${JSON.stringify(condition)}: ${found.join(', ')}`)
  }
}
JS
expected='without:
  {"$in":["7"]}: "7"
  {"$in":["7","10"]}: "10", "7"
  {"$in":[5]}: 5
  {"$eq":"7"}: "7"
  {"$eq":5}: 5
  {"$ne":5}: "07", "10", "1970-01-01T00:00:00.005Z", "1e1", "7", "7.0", 7
with an index:
  {"$in":["7"]}: "07", "7", "7.0", 7
  {"$in":["7","10"]}: "07", "10", "1e1", "7", "7.0", 7
  {"$in":[5]}: 5, 5
  {"$eq":"7"}: "7"
  {"$eq":5}: 5, 5
  {"$ne":5}: "07", "10", "1e1", "7", "7.0", 7'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
