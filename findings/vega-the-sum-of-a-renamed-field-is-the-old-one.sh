#!/usr/bin/env bash
# vega 6.4.0: a row's v becomes 10, project names it q and shows 10, and the sum of q is that of before.
#
# A view computes again what depends on a change: here 2 rows, project with the fields k and v as k and q, and an
# aggregate of q after it. A change of v reaches the projected rows at once. project says to what follows that the
# field v has changed, by the old name; aggregate asks whether q has, and leaves its sums, counts and extremes as
# they are. bin and collect after project, and with them the marks of a chart, keep the old value or place alike.
# A project that leaves v its name is right, and so is the renamed sum after a change of k, a field with one name:
# the next change of k brings the change of v along, for the groups of the rows that it touches.
#
# Guess before the run: a name changes no value.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund 'vega@6.4.0' 'vega-transforms@5.2.2'
cat >run.mjs <<'JS'
import { View, changeset, parse } from 'vega'

for (const name of ['v', 'q']) {
  const project = { type: 'project', fields: ['id', 'k', 'v'], as: ['id', 'k', name] }
  const aggregate = { type: 'aggregate', groupby: ['k'], ops: ['count', 'sum', 'max'], fields: [null, name, name], as: ['count', 'sum', 'max'] }
  const collect = { type: 'collect', sort: { field: name } }
  const bin = { type: 'bin', field: name, extent: [0, 12], step: 4 }
  const data = [
    { name: 't' },
    { name: 'projected', source: 't', transform: [project] },
    { name: 'groups', source: 'projected', transform: [aggregate] },
    { name: 'sorted', source: 't', transform: [project, collect] },
    { name: 'bins', source: 't', transform: [project, bin] },
  ]
  const view = new View(parse({ data }))
  const show = async (what, changes) => {
    await view.change('t', changes).runAsync()
    console.log(`v as ${name}, ${what}`)
    console.log(`  rows ${view.data('projected').map((row) => `${row.k} ${row[name]}`).join(', ')}`)
    console.log(`  groups ${view.data('groups').map(({ k, count, sum, max }) => `${k}: count ${count} sum ${sum} max ${max}`).join(', ')}`)
    console.log(`  sorted ${view.data('sorted').map((row) => row[name]).join(' ')}, bins ${view.data('bins').map((row) => `${row[name]} from ${row.bin0}`).join(', ')}`)
  }
  await show('1 and 3 and 5', changeset().insert([{ id: 1, k: 'a', v: 1 }, { id: 2, k: 'a', v: 3 }, { id: 3, k: 'b', v: 5 }]))
  await show('1 becomes 10', changeset().modify((row) => row.id === 1, 'v', 10))
  await show('5 moves to a', changeset().modify((row) => row.id === 3, 'k', 'a'))
  await show('10 moves to b', changeset().modify((row) => row.id === 1, 'k', 'b'))
}
JS
expected='v as v, 1 and 3 and 5
  rows a 1, a 3, b 5
  groups a: count 2 sum 4 max 3, b: count 1 sum 5 max 5
  sorted 1 3 5, bins 1 from 0, 3 from 0, 5 from 4
v as v, 1 becomes 10
  rows a 10, a 3, b 5
  groups a: count 2 sum 13 max 10, b: count 1 sum 5 max 5
  sorted 3 5 10, bins 10 from 8, 3 from 0, 5 from 4
v as v, 5 moves to a
  rows a 10, a 3, a 5
  groups a: count 3 sum 18 max 10
  sorted 3 5 10, bins 10 from 8, 3 from 0, 5 from 4
v as v, 10 moves to b
  rows b 10, a 3, a 5
  groups b: count 1 sum 10 max 10, a: count 2 sum 8 max 5
  sorted 3 5 10, bins 10 from 8, 3 from 0, 5 from 4
v as q, 1 and 3 and 5
  rows a 1, a 3, b 5
  groups a: count 2 sum 4 max 3, b: count 1 sum 5 max 5
  sorted 1 3 5, bins 1 from 0, 3 from 0, 5 from 4
v as q, 1 becomes 10
  rows a 10, a 3, b 5
  groups a: count 2 sum 4 max 3, b: count 1 sum 5 max 5
  sorted 3 5 10, bins 10 from 0, 3 from 0, 5 from 4
v as q, 5 moves to a
  rows a 10, a 3, a 5
  groups a: count 3 sum 18 max 10
  sorted 3 5 10, bins 10 from 0, 3 from 0, 5 from 4
v as q, 10 moves to b
  rows b 10, a 3, a 5
  groups b: count 1 sum 10 max 10, a: count 2 sum 8 max 5
  sorted 3 5 10, bins 10 from 0, 3 from 0, 5 from 4'
seen=$(node run.mjs 2>errors) || { tail -5 errors; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
