#!/usr/bin/env bash
# lovefield 2.1.12: with an index on t.k, an inner join pairs null with null; the left join has no such pair.
#
# t.k = u.k is true of no null: without an index the inner join has one pair here, and the left join the
# same and three rows beside null. With an index on t.k the inner join looks up the null of u in it and
# finds both rows of t without a key, and so does the condition in WHERE. The left join does not, so it has
# fewer pairs than the inner join.
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

const main = async () => {
  for (const indexed of [false, true]) {
    const schema = lf.schema.create(`finding${indexed}`, 1)
    for (const name of ['t', 'u']) {
      const table = schema.createTable(name).addColumn('i', lf.Type.INTEGER).addColumn('k', lf.Type.STRING)
      table.addPrimaryKey(['i']).addNullable(['k'])
      if (indexed && name === 't') table.addIndex('by_k', ['k'])
    }
    const db = await schema.connect({ storeType: lf.schema.DataStoreType.MEMORY })
    const [t, u] = ['t', 'u'].map((name) => db.getSchema().table(name))
    const fill = (table, keys) => db.insert().into(table).values(keys.map((k, row) => table.createRow({ i: row + 1, k }))).exec()
    await fill(t, ['a', null, 'b', null])
    await fill(u, ['a', null, 'c'])
    const pairs = () => db.select(t.i, u.i)
    console.log(indexed ? 'with an index:' : 'without:')
    for (const [name, query] of [
      ['inner join', pairs().from(t).innerJoin(u, t.k.eq(u.k))],
      ['left join', pairs().from(t).leftOuterJoin(u, t.k.eq(u.k))],
      ['where', pairs().from(t, u).where(t.k.eq(u.k))],
    ]) {
      const found = (await query.exec()).map((row) => `${row.t.i} ${row.u.i}`)
      console.log(`  ${name}: ${found.sort().join(', ')}`)
    }
  }
}
main()
JS
expected='without:
  inner join: 1 1
  left join: 1 1, 2 null, 3 null, 4 null
  where: 1 1
with an index:
  inner join: 1 1, 2 2, 4 2
  left join: 1 1, 2 null, 3 null, 4 null
  where: 1 1, 2 2, 4 2'
seen=$(node "$work/run.cjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
