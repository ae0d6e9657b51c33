#!/usr/bin/env bash
# @skipruntime 0.0.15: the last row of a group leaves; count and sum keep the group with 0, min and max do not.
#
# Skip keeps collections that are computed from others up to date. A map gives each row its group, and a reduce by
# Count, Sum, Min or Max one value for each group. A group that loses its last row, here because the row moves to
# another one, is gone from min and max, and stays in count and sum with 0, also for a service that subscribes
# later. A group that never had a row is in none of them, and a service that starts with the same rows has no such
# group. What is computed from the sums has one group more: the smallest sum is 0 here, and that of no row.
#
# Guess before the run: the groups of the rows that there are, as after a start.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts '@skipruntime/core@0.0.15' '@skipruntime/wasm@0.0.15' '@skipruntime/helpers@0.0.15' 2>npm ||
  { tail -5 npm; exit 1; }
cat >run.mjs <<'JS'
import { Count, Max, Min, Sum } from '@skipruntime/helpers'
import { initService } from '@skipruntime/wasm'

class Groups {
  mapEntry(key, values) {
    return values.toArray().map((row) => [row.g, row.v])
  }
}
class One {
  mapEntry(key, values) {
    return values.toArray().map((value) => ['all', value])
  }
}
const reducers = { count: Count, sum: Sum, min: Min, max: Max }
const resource = (collection) => class {
  instantiate(collections) {
    return collections[collection]
  }
}
const start = (rows) => initService({
  initialData: { t: rows },
  resources: Object.fromEntries([...Object.keys(reducers), 'smallest', 'groups'].map((name) => [name, resource(name)])),
  createGraph({ t }) {
    const groups = t.map(Groups)
    const reduced = Object.fromEntries(Object.entries(reducers).map(([name, reducer]) => [name, groups.reduce(reducer)]))
    const smallest = reduced.sum.map(One).reduce(Min)
    const number = reduced.count.map(One).reduce(Count)
    return { ...reduced, smallest, groups: number }
  },
})
const show = async (what, service) => {
  console.log(what)
  for (const name of Object.keys(reducers)) {
    const rows = (await service.getAll(name, {})).filter(([, values]) => values.length)
    console.log(`  ${name} ${rows.map(([group, values]) => `${group}: ${values}`).join(', ')}`)
  }
  const [[, smallest]] = await service.getAll('smallest', {})
  const [[, groups]] = await service.getAll('groups', {})
  console.log(`  smallest sum ${smallest}, groups ${groups}`)
}
const row = (id, g, v) => [id, [{ g, v }]]
const live = await start([row('1', 'a', 3), row('2', 'a', 4), row('3', 'b', 5)])
await show('start', live)
await live.update('t', [row('3', 'a', 5)])
await show('the row of b moves to a', live)
await live.update('t', [row('4', 'c', 6)])
await live.update('t', [['4', []]])
await show('c comes and goes', live)
await show('another service, the same rows', await start([row('1', 'a', 3), row('2', 'a', 4), row('3', 'a', 5)]))
process.exit(0)
JS
expected='start
  count a: 2, b: 1
  sum a: 7, b: 5
  min a: 3, b: 5
  max a: 4, b: 5
  smallest sum 5, groups 2
the row of b moves to a
  count a: 3, b: 0
  sum a: 12, b: 0
  min a: 3
  max a: 5
  smallest sum 0, groups 2
c comes and goes
  count a: 3, b: 0, c: 0
  sum a: 12, b: 0, c: 0
  min a: 3
  max a: 5
  smallest sum 0, groups 3
another service, the same rows
  count a: 3
  sum a: 12
  min a: 3
  max a: 5
  smallest sum 12, groups 1'
seen=$(node run.mjs 2>errors) || { tail -5 errors; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
