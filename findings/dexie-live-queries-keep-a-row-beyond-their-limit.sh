#!/usr/bin/env bash
# dexie 4.4.7: `orderBy('v').limit(2)` of 1, 2, 3, 4 is 2 and 9 once 1 has become 9; the query says 2, 3.
#
# A live query runs again when what it read changes. By default Dexie answers it then from a cache of
# results, to which it applies the change: it keeps the row under its limit, and sorts it behind the
# others, though the third row comes before it; first() keeps the row that is the last one now. A key
# written twice by one bulkPut is found by the index value of the first write; a row with two tags
# comes once by orderBy('tags'), where the index has it twice. Run again, or with the option cache:
# 'disabled', all of these are right. With an offset, a delete of a row before it does not start the
# live query at all, with and without the cache.
#
# Guess before the run: a live query ends with what the query gives.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" \
  dexie@4.4.7 fake-indexeddb@6.2.8 >"$work/npm" 2>&1 || { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import 'fake-indexeddb/auto'
import Dexie, { liveQuery } from 'dexie'

const numbers = [1, 2, 3, 4].map((v) => ({ id: `row${v}`, v, tags: [] }))
const tagged = [{ id: 'a', v: 1, tags: ['x'] }, { id: 'b', v: 2, tags: ['y'] }]
const values = (rows) => rows.map((row) => row.v).join(' ')
const ids = (rows) => rows.map((row) => row.id).join(' ')
const pause = (ms) => new Promise((done) => setTimeout(done, ms))
const scenarios = [
  ["1 becomes 9, orderBy('v').limit(2)", numbers, (t) => t.update('row1', { v: 9 }),
    (t) => t.orderBy('v').limit(2).toArray().then(values)],
  ["1 becomes 9, orderBy('v').first()", numbers, (t) => t.update('row1', { v: 9 }),
    (t) => t.orderBy('v').first().then((row) => `${row.v}`)],
  ["1 is deleted, orderBy('v').offset(1).limit(2)", numbers, (t) => t.delete('row1'),
    (t) => t.orderBy('v').offset(1).limit(2).toArray().then(values)],
  ["1 is deleted, orderBy('v').limit(2)", numbers, (t) => t.delete('row1'),
    (t) => t.orderBy('v').limit(2).toArray().then(values)],
  ["c with x and y comes, orderBy('tags')", tagged, (t) => t.put({ id: 'c', v: 3, tags: ['x', 'y'] }),
    (t) => t.orderBy('tags').toArray().then(ids)],
  ["c with x, then y, in one bulkPut, where('tags').equals('x')", tagged,
    (t) => t.bulkPut(['x', 'y'].map((tag) => ({ id: 'c', v: 3, tags: [tag] }))),
    (t) => t.where('tags').equals('x').toArray().then(ids)],
]
for (const [name, rows, change, query] of scenarios) {
  const seen = []
  for (const options of [{}, { cache: 'disabled' }]) {
    const db = new Dexie(`${name} ${seen.length}`, options)
    db.version(1).stores({ t: '&id, v, *tags' })
    await db.t.bulkPut(rows)
    let live
    const subscription = liveQuery(() => query(db.t)).subscribe((result) => (live = result))
    await pause(300)
    await change(db.t)
    await pause(1000)
    seen.push(live, await query(db.t))
    subscription.unsubscribe()
    db.close()
  }
  console.log(`${name}: live ${seen[0]}, run again ${seen[1]}, live without cache ${seen[2]}`)
}
process.exit(0)
JS
expected="1 becomes 9, orderBy('v').limit(2): live 2 9, run again 2 3, live without cache 2 3
1 becomes 9, orderBy('v').first(): live 9, run again 2, live without cache 2
1 is deleted, orderBy('v').offset(1).limit(2): live 2 3, run again 3 4, live without cache 2 3
1 is deleted, orderBy('v').limit(2): live 2 3, run again 2 3, live without cache 2 3
c with x and y comes, orderBy('tags'): live a c b, run again a c b c, live without cache a c b c
c with x, then y, in one bulkPut, where('tags').equals('x'): live a c, run again a, live without cache a"
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
