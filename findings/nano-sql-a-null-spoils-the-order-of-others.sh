#!/usr/bin/env bash
# @nano-sql/core 2.3.7: rows sorted by v come as 5, 7, null, 5, and the two largest are 5 and null.
#
# Rows without a value may come first or last; the others are in order. nanoSQL takes null for equal to
# each value it is compared with, so rows on both sides of a null are not compared: 7 is before 5. A
# limit then takes other rows than the largest. Without nulls the order is right.
#
# Guess before the run: the nulls at one end, and the two largest are 7 and 5.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" @nano-sql/core@2.3.7 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.cjs" <<'JS'
const { nSQL } = require('@nano-sql/core')

const main = async () => {
  const model = { 'i:int': { pk: true }, 'v:int': {} }
  await nSQL().createDatabase({ id: 'finding', mode: 'TEMP', tables: [{ name: 't', model }] })
  for (const [row, v] of [5, null, 7, 5, null, 2, -1].entries()) {
    await nSQL('t').query('upsert', { i: row + 1, v }).exec()
  }
  const select = () => nSQL('t').query('select', ['i', 'v'])
  for (const [name, query] of [
    ['v ASC', select().orderBy(['v ASC'])],
    ['v DESC', select().orderBy(['v DESC'])],
    ['v DESC LIMIT 2', select().orderBy(['v DESC']).limit(2)],
    ['v ASC of the rows with v', select().where(['v', '>', -9]).orderBy(['v ASC'])],
  ]) {
    console.log(`${name}: ${(await query.exec()).map(({ v }) => v ?? 'null').join(', ')}`)
  }
  process.exit(0)
}
main()
JS
expected='v ASC: -1, 2, null, 5, 7, null, 5
v DESC: 5, null, 7, 5, null, 2, -1
v DESC LIMIT 2: 5, null
v ASC of the rows with v: -1, 2, 5, 5, 7'
seen=$(node "$work/run.cjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
