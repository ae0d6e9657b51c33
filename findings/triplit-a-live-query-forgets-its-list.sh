#!/usr/bin/env bash
# @triplit/db 1.1.10: a live query for `v in [2] or u.k > 1` never shows a row whose v is 2 and whose u.k is 0.
#
# subscribe() calls back with what fetch() finds, after each change. If the alternatives have a condition on a
# related row, the live query computes them in another way, in which `in` over a value of the row itself is
# false: rows come and go by u.k alone. Once the related row changes, the last one goes too. With `=` in place
# of `in`, or without the related row, the live query is right; fetch() of the same query always is.
#
# Guess before the run: the rows of fetch() after each change.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" @triplit/db@1.1.10 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import { DB, Schema as S, or } from '@triplit/db'

const t = { schema: S.Schema({ id: S.Id(), v: S.Number(), uid: S.String() }), relationships: { u: S.RelationById('u', '$uid') } }
const schema = { collections: { t, u: { schema: S.Schema({ id: S.Id(), k: S.Number() }) } } }
const shown = (rows) => rows.map(({ id }) => id).sort().join(' ') || 'none'
for (const conditions of [
  [['v', 'in', [2]], ['u.k', '>', 1]],
  [['v', '=', 2], ['u.k', '>', 1]],
  [['v', 'in', [2]], ['v', '<', 0]],
]) {
  const db = new DB({ schema })
  await db.insert('u', { id: 'x', k: 5 })
  await db.insert('u', { id: 'y', k: 0 })
  const query = db.query('t').Where([or(conditions)])
  let live
  db.subscribe(query, (rows) => { live = shown(rows) })
  for (const [name, change] of [
    ['a: v 2, u.k 5', () => db.insert('t', { id: 'a', v: 2, uid: 'x' })],
    ['b: v 2, u.k 0', () => db.insert('t', { id: 'b', v: 2, uid: 'y' })],
    ['c: v 2, no u', () => db.insert('t', { id: 'c', v: 2, uid: 'z' })],
    ['d: v 0, u.k 5', () => db.insert('t', { id: 'd', v: 0, uid: 'x' })],
    ['u.k of a and d is 1', () => db.update('u', 'x', (row) => { row.k = 1 })],
  ]) {
    await change()
    await db.updateQueryViews()
    db.broadcastToQuerySubscribers()
    await new Promise((done) => setTimeout(done, 50))
    console.log(`${conditions.map((c) => c.join(' ')).join(' or ')}; ${name}: live ${live}; fetched ${shown(await db.fetch(query))}`)
  }
}
process.exit(0)
JS
expected='v in 2 or u.k > 1; a: v 2, u.k 5: live a; fetched a
v in 2 or u.k > 1; b: v 2, u.k 0: live a; fetched a b
v in 2 or u.k > 1; c: v 2, no u: live a; fetched a b c
v in 2 or u.k > 1; d: v 0, u.k 5: live a d; fetched a b c d
v in 2 or u.k > 1; u.k of a and d is 1: live none; fetched a b c
v = 2 or u.k > 1; a: v 2, u.k 5: live a; fetched a
v = 2 or u.k > 1; b: v 2, u.k 0: live a b; fetched a b
v = 2 or u.k > 1; c: v 2, no u: live a b c; fetched a b c
v = 2 or u.k > 1; d: v 0, u.k 5: live a b c d; fetched a b c d
v = 2 or u.k > 1; u.k of a and d is 1: live a b c; fetched a b c
v in 2 or v < 0; a: v 2, u.k 5: live a; fetched a
v in 2 or v < 0; b: v 2, u.k 0: live a b; fetched a b
v in 2 or v < 0; c: v 2, no u: live a b c; fetched a b c
v in 2 or v < 0; d: v 0, u.k 5: live a b c; fetched a b c
v in 2 or v < 0; u.k of a and d is 1: live a b c; fetched a b c'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
