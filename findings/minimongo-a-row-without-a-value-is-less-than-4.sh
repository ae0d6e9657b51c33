#!/usr/bin/env bash
# minimongo 7.1.1: a row without v is less than 4, v: null finds it, and $in: [null] does not.
#
# minimongo answers selectors of MongoDB on the client, and asks the server with the same. $lt compares
# values of one kind in MongoDB: a row whose v is null or missing, a text or an object is neither below
# nor above 4. minimongo compares by the order of the kinds, so $lt: 4 finds the rows without v,
# and $gt: 4 those whose v is a text, true or an object. `v: null` finds null and missing in both;
# $in: [5, null] leaves the missing ones out in minimongo, and $nin finds them.
#
# Guess before the run: what the server finds.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" minimongo@7.1.1 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import library from 'minimongo'

const db = new library.MemoryDb()
db.addCollection('t')
const rows = [{ v: 5 }, { v: 3 }, { v: null }, {}, { v: '7' }, { v: true }, { v: { a: 1 } }]
const named = rows.map((row) => ({ _id: 'v' in row ? JSON.stringify(row.v) : 'missing', ...row }))
await new Promise((done, failed) => db.t.upsert(named, undefined, done, failed))
for (const selector of [
  { v: { $lt: 4 } },
  { v: { $lte: 3 } },
  { v: { $gt: 4 } },
  { v: { $gt: '6' } },
  { v: null },
  { v: { $in: [5, null] } },
  { v: { $nin: [5, null] } },
]) {
  const found = await db.t.find(selector, {}).fetch()
  console.log(`${JSON.stringify(selector)}: ${found.map(({ _id }) => _id).join(', ')}`)
}
JS
expected='{"v":{"$lt":4}}: 3, null, missing
{"v":{"$lte":3}}: 3, null, missing
{"v":{"$gt":4}}: 5, "7", true, {"a":1}
{"v":{"$gt":"6"}}: "7", true, {"a":1}
{"v":null}: null, missing
{"v":{"$in":[5,null]}}: 5, null
{"v":{"$nin":[5,null]}}: 3, missing, "7", true, {"a":1}'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
