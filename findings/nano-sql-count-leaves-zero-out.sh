#!/usr/bin/env bash
# @nano-sql/core 2.3.7: COUNT(v) leaves the rows with 0 out, and AVG(v) divides by those without v too.
#
# COUNT(v) counts the rows that have a v, and AVG(v) is the sum of v by that count. nanoSQL counts the
# rows whose v is neither null nor 0, and divides the sum by the number of all rows. So the sum by the
# count and the average are two numbers, and both are wrong. BETWEEN takes both ends in, and NOT BETWEEN
# does too: 2 and 5 are between 2 and 5 and are not.
#
# Guess before the run: the count 5, the average 3, and each row with a v in one of the two ranges.
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
  for (const [row, v] of [5, null, 7, 2, 0, null, 1].entries()) {
    await nSQL('t').query('upsert', { i: row + 1, v }).exec()
  }
  const select = (...columns) => nSQL('t').query('select', columns)
  for (const [aggregate] of [['COUNT(*)'], ['COUNT(v)'], ['SUM(v)'], ['AVG(v)']]) {
    const [row] = await select(`${aggregate} AS n`).exec()
    console.log(`${aggregate}: ${row.n.toFixed(2)}`)
  }
  for (const condition of [['v', 'BETWEEN', [2, 5]], ['v', 'NOT BETWEEN', [2, 5]], ['v', '=', 0]]) {
    const rows = await select('i', 'v').where(condition).exec()
    console.log(`${condition.join(' ')}: ${rows.map(({ v }) => v).join(', ')}`)
  }
  process.exit(0)
}
main()
JS
expected='COUNT(*): 7.00
COUNT(v): 4.00
SUM(v): 15.00
AVG(v): 2.14
v BETWEEN 2,5: 5, 2
v NOT BETWEEN 2,5: 5, 7, 2, 0, 1
v = 0: 0'
seen=$(node "$work/run.cjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
