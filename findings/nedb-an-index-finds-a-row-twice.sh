#!/usr/bin/env bash
# @seald-io/nedb 4.1.2: with an index, $gt finds a row twice whose list has two values above.
#
# A row whose v is a list matches a condition if one of its values does, and is found once. NeDB puts
# each value of the list into an index, and goes through the values of the range: the row comes as often
# as its values are there. So find() gives copies, count() counts them, a limit is used up by them, and
# without the index, or by $in, all is right. A sum over the rows found is too large.
#
# Guess before the run: an index changes the speed alone.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" @seald-io/nedb@4.1.2 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import Datastore from '@seald-io/nedb'

const rows = [{ _id: 'one', v: 1 }, { _id: 'list', v: [3, 5, 9] }, { _id: 'seven', v: 7 }]
for (const indexed of [false, true]) {
  const db = new Datastore()
  if (indexed) await db.ensureIndexAsync({ fieldName: 'v' })
  await db.insertAsync(rows)
  console.log(indexed ? 'with an index:' : 'without:')
  for (const condition of [{ $gt: 2 }, { $gte: 5 }, { $gt: 2, $lt: 6 }, { $in: [3, 5] }, 5]) {
    const found = await db.findAsync({ v: condition })
    const count = await db.countAsync({ v: condition })
    console.log(`  ${JSON.stringify(condition)}: ${found.map(({ _id }) => _id).sort().join(', ')} (${count})`)
  }
  const first = await db.findAsync({ v: { $gt: 2 } }).sort({ _id: 1 }).limit(2)
  console.log(`  first two: ${first.map(({ _id }) => _id).join(', ')}`)
}
JS
expected='without:
  {"$gt":2}: list, seven (2)
  {"$gte":5}: list, seven (2)
  {"$gt":2,"$lt":6}: list (1)
  {"$in":[3,5]}: list (1)
  5: list (1)
  first two: list, seven
with an index:
  {"$gt":2}: list, list, list, seven (4)
  {"$gte":5}: list, list, seven (3)
  {"$gt":2,"$lt":6}: list, list (2)
  {"$in":[3,5]}: list (1)
  5: list (1)
  first two: list, list'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
