#!/usr/bin/env bash
# lovefield 2.1.12: with an index on v, ORDER BY v loses the rows without v, and NOT v > 4 does too.
#
# lovefield answers a query by an index if it finds one. The rows whose v is null are not in the part of
# the index that it reads: sorted by v, five of seven rows come back, and the newest or the count of a
# sorted page is wrong. NOT (v > 4) takes null for not above 4 without an index, and leaves it out with
# one; so does NOT (v > 6 OR k = "a"), in which the rows without v or without k are lost. count(*)
# counts all seven.
#
# Guess before the run: an index changes the speed alone.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" lovefield@2.1.12 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.cjs" <<'JS'
globalThis.self = globalThis.window = globalThis
const lf = require('lovefield')

const ROWS = [[1, 'a', 5], [2, 'a', null], [3, 'b', 7], [4, null, 5], [5, 'b', null], [6, null, 2], [7, 'c', -1]]
const main = async () => {
  for (const indexed of [false, true]) {
    const schema = lf.schema.create(`finding${indexed}`, 1)
    const table = schema.createTable('t')
    table.addColumn('i', lf.Type.INTEGER).addColumn('k', lf.Type.STRING).addColumn('v', lf.Type.NUMBER)
    table.addPrimaryKey(['i']).addNullable(['k', 'v'])
    if (indexed) table.addIndex('by_v', ['v']).addIndex('by_k', ['k'])
    const db = await schema.connect({ storeType: lf.schema.DataStoreType.MEMORY })
    const t = db.getSchema().table('t')
    await db.insert().into(t).values(ROWS.map(([i, k, v]) => t.createRow({ i, k, v }))).exec()
    const rows = () => db.select(t.i).from(t)
    console.log(indexed ? 'with indexes:' : 'without:')
    for (const [name, query] of [
      ['ORDER BY v', rows().orderBy(t.v)],
      ['ORDER BY v DESC', rows().orderBy(t.v, lf.Order.DESC)],
      ['ORDER BY i', rows().orderBy(t.i)],
      ['v > 4', rows().where(t.v.gt(4))],
      ['NOT v > 4', rows().where(lf.op.not(t.v.gt(4)))],
      ['NOT v = 5', rows().where(lf.op.not(t.v.eq(5)))],
      ['v <> 5', rows().where(t.v.neq(5))],
      ['NOT (v > 6 OR k = a)', rows().where(lf.op.not(lf.op.or(t.v.gt(6), t.k.eq('a'))))],
    ]) {
      const found = (await query.exec()).map(({ i }) => i)
      console.log(`  ${name}: ${(name.startsWith('ORDER') ? found : found.sort()).join(', ')}`)
    }
  }
}
main()
JS
expected='without:
  ORDER BY v: 7, 2, 5, 6, 1, 4, 3
  ORDER BY v DESC: 3, 1, 4, 6, 2, 5, 7
  ORDER BY i: 1, 2, 3, 4, 5, 6, 7
  v > 4: 1, 3, 4
  NOT v > 4: 2, 5, 6, 7
  NOT v = 5: 2, 3, 5, 6, 7
  v <> 5: 2, 3, 5, 6, 7
  NOT (v > 6 OR k = a): 4, 5, 6, 7
with indexes:
  ORDER BY v: 7, 6, 1, 4, 3
  ORDER BY v DESC: 3, 4, 1, 6, 7
  ORDER BY i: 1, 2, 3, 4, 5, 6, 7
  v > 4: 1, 3, 4
  NOT v > 4: 6, 7
  NOT v = 5: 3, 6, 7
  v <> 5: 2, 3, 5, 6, 7
  NOT (v > 6 OR k = a): 5, 7'
seen=$(node "$work/run.cjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
