#!/usr/bin/env bash
# @signaldb/core 1.8.1: with an index on v, { v: { $ne: 1 } } loses the row whose v is the text "1".
#
# A selector finds the same rows with an index and without. SignalDB compares strictly: "1" is not 1. The index
# keeps its rows under the text of their value, so 1 and "1" are one there, as are true and "true". By $ne and
# $nin the index answers alone: the rows of the text are gone. By $in it answers for some, and finds 1 for "1".
# A row whose v is a list is under the text of the list, so v: 2 does not find it, as it does without an index.
#
# Guess before the run: an index changes the speed alone.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" @signaldb/core@1.8.1 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import { Collection, createIndex } from '@signaldb/core'

const values = [1, '1', 2, true, 'true', null, 'null', undefined, [1, 2]]
const tables = [new Collection(), new Collection({ indices: [createIndex('v')] })]
for (const table of tables) {
  values.forEach((v, row) => table.insert(v === undefined ? { id: `r${row}` } : { id: `r${row}`, v }))
}
for (const condition of [1, '1', 2, true, null, { $ne: 1 }, { $ne: 'true' }, { $nin: [1, 2] }, { $in: ['1', 2] }, { $in: [null] }, { $gt: 0 }]) {
  const [plain, indexed] = tables.map((table) => {
    const rows = table.find({ v: condition }, { reactive: false }).fetch()
    return rows.map(({ v }) => JSON.stringify(v) ?? 'no v').join(' ') || 'nothing'
  })
  console.log(`${JSON.stringify(condition)}: ${plain}${plain === indexed ? '' : `; with an index ${indexed}`}`)
}
JS
expected='1: 1 [1,2]; with an index 1 "1"
"1": "1"; with an index 1 "1"
2: 2 [1,2]; with an index 2
true: true; with an index true "true"
null: null no v
{"$ne":1}: "1" 2 true "true" null "null" no v; with an index 2 true "true" null no v "null" [1,2]
{"$ne":"true"}: 1 "1" 2 true null "null" no v [1,2]; with an index 1 "1" 2 null no v "null" [1,2]
{"$nin":[1,2]}: "1" true "true" null "null" no v; with an index true "true" null no v "null" [1,2]
{"$in":["1",2]}: "1" 2 [1,2]; with an index 1 "1" 2
{"$in":[null]}: null no v
{"$gt":0}: 1 2 [1,2]'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
