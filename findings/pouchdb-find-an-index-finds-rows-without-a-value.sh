#!/usr/bin/env bash
# pouchdb-find 9.0.0: with an index on v, { v: { $lt: 1 } } finds the row that has no v, and so does v: null.
#
# An index holds the rows that have its field, by the guide of PouchDB and by Mango's reference; a selector on v
# finds no row without v but by $exists: false. The index takes a missing v for null when it is built, and null
# comes before all else in its order: each range without a lower end has those rows too, and the lookup of null.
# The selector that comes from memory, which knows better, does not look at the field again, for the index has
# answered it. Without an index, or with a second condition on v, they are not found.
#
# Guess before the run: the same rows with the index and without.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" pouchdb-core@9.0.0 pouchdb-find@9.0.0 \
  pouchdb-adapter-memory@9.0.0 >"$work/npm" 2>&1 || { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import memory from 'pouchdb-adapter-memory'
import PouchDB from 'pouchdb-core'
import find from 'pouchdb-find'

PouchDB.plugin(memory).plugin(find)
console.warn = () => {}
const rows = [{ v: 0 }, { v: 5 }, { v: null }, {}, { v: 'a' }].map((row, id) => ({ _id: `r${id}`, w: 1, ...row }))
const bases = []
for (const fields of [null, ['v'], ['w', 'v']]) {
  const base = new PouchDB(`finding ${fields}`, { adapter: 'memory' })
  await base.bulkDocs(rows.map((row) => ({ ...row })))
  if (fields) {
    await base.createIndex({ index: { fields } })
  }
  bases.push(base)
}
for (const v of [{ $lt: 1 }, { $lte: 5 }, { $lt: 'b' }, null, { $gte: null }, { $gte: 0, $lt: 9 }, { $exists: false }]) {
  const found = []
  for (const base of bases) {
    const { docs } = await base.find({ selector: { w: 1, v } })
    found.push(docs.map((row) => ('v' in row ? JSON.stringify(row.v) : 'no v')).sort().join(' ') || 'nothing')
  }
  const [plain, one, two] = found
  console.log(`${JSON.stringify(v)}: ${plain}; index on v: ${one}; index on w and v: ${two}`)
}
process.exit(0)
JS
expected='{"$lt":1}: 0 null; index on v: 0 no v null; index on w and v: 0 no v null
{"$lte":5}: 0 5 null; index on v: 0 5 no v null; index on w and v: 0 5 no v null
{"$lt":"b"}: "a" 0 5 null; index on v: "a" 0 5 no v null; index on w and v: "a" 0 5 no v null
null: null; index on v: no v null; index on w and v: no v null
{"$gte":null}: "a" 0 5 null; index on v: "a" 0 5 no v null; index on w and v: "a" 0 5 no v null
{"$gte":0,"$lt":9}: 0 5; index on v: 0 5; index on w and v: 0 5
{"$exists":false}: no v; index on v: no v; index on w and v: no v'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
