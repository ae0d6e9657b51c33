#!/usr/bin/env bash
# @nozbe/watermelondb 0.28.0: observe() of Q.between(0, 1) shows a new row whose v is null; fetch() has no such row.
#
# observe() gives what fetch() finds, and again after each change. For a simple query WatermelonDB does not ask the
# database again but decides for each changed record by its own matcher. That has null checks for gt, lt and the
# others, so that they are as in SQL; for between it compares as JavaScript does, where null is 0: it is between
# 0 and 1, and not between 1 and 2. Such a row comes and stays until the query is observed anew.
#
# Guess before the run: the rows of fetch() after each change.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" @nozbe/watermelondb@0.28.0 lokijs@1.5.12 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.cjs" <<'JS'
const { Database, Model, Q, appSchema, tableSchema } = require('@nozbe/watermelondb')
const LokiJSAdapter = require('@nozbe/watermelondb/adapters/lokijs').default
require('@nozbe/watermelondb/utils/common/logger').default.silence()

class Row extends Model {
  static table = 't'
}
const schema = appSchema({ version: 1, tables: [tableSchema({ name: 't', columns: [{ name: 'v', type: 'number', isOptional: true }] })] })
const options = { schema, useWebWorker: false, useIncrementalIndexedDB: false, dbName: 'finding', extraLokiOptions: { autosave: false } }
const database = new Database({ adapter: new LokiJSAdapter(options), modelClasses: [Row] })
const conditions = {
  'between 0 and 1': Q.between(0, 1),
  'between -1 and 1': Q.between(-1, 1),
  'between 1 and 2': Q.between(1, 2),
  'above -1': Q.gt(-1),
  'below 1': Q.lt(1),
}
const table = database.get('t')
const shown = (rows) => rows.map((row) => row._raw.v ?? 'null').sort().join(', ') || 'none'

const main = async () => {
  const live = {}
  for (const [name, condition] of Object.entries(conditions)) {
    table.query(Q.where('v', condition)).observe().subscribe((rows) => { live[name] = rows })
  }
  await new Promise((done) => setTimeout(done, 50))
  const rows = []
  await database.write(async () => {
    for (const v of [null, 1, 5]) {
      rows.push(await table.create((row) => row._setRaw('v', v)))
    }
  })
  await database.write(() => rows[2].update((row) => row._setRaw('v', null)))
  await new Promise((done) => setTimeout(done, 50))
  for (const [name, condition] of Object.entries(conditions)) {
    console.log(`${name}: observed ${shown(live[name])}; fetched ${shown(await table.query(Q.where('v', condition)).fetch())}`)
  }
  process.exit(0)
}
main()
JS
expected='between 0 and 1: observed 1, null, null; fetched 1
between -1 and 1: observed 1, null, null; fetched 1
between 1 and 2: observed 1; fetched 1
above -1: observed 1; fetched 1
below 1: observed none; fetched none'
seen=$(node "$work/run.cjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
