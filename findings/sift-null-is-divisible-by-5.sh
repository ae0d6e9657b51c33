#!/usr/bin/env bash
# sift 17.1.4: { v: { $mod: [5, 0] } } finds null, "10" and an empty list, and v: 5 finds the date of 1970.
#
# sift filters arrays by the selectors of MongoDB, whose reference has comparisons within one type: a date is no
# number, $mod looks at numbers, and v: 5 looks into a list for 5, not into the lists of that list. sift takes a
# date for its milliseconds, so v: 5 and v: { $ne: 5 } are wrong for it, divides whatever it finds, where null
# and [] are 0, and goes into lists of any depth. An empty list is both $gte and $lte null, and is not null. NaN
# is not equal to itself, and in MongoDB it is.
#
# Guess before the run: the rows that MongoDB's reference has.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" sift@17.1.4 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import sift from 'sift'

const rows = [5, 7, null, undefined, NaN, '10', true, [], [1, 5], [[1, 5]], new Date(5)].map((v) => (v === undefined ? {} : { v }))
const shown = ({ v }) => (v === undefined ? 'no v' : Number.isNaN(v) ? 'NaN' : JSON.stringify(v))
for (const condition of [{ $mod: [5, 0] }, 5, { $ne: 5 }, { $lt: 6 }, null, { $gte: null }, { $lte: null }, { $in: [new Date(5)] }, NaN]) {
  const name = Number.isNaN(condition) ? 'NaN' : JSON.stringify(condition)
  console.log(`${name}: ${rows.filter(sift({ v: condition })).map(shown).join(' ') || 'nothing'}`)
}
JS
expected='{"$mod":[5,0]}: 5 null "10" [] [1,5] [[1,5]] "1970-01-01T00:00:00.005Z"
5: 5 [1,5] [[1,5]] "1970-01-01T00:00:00.005Z"
{"$ne":5}: 7 null no v NaN "10" true []
{"$lt":6}: 5 [1,5] [[1,5]] "1970-01-01T00:00:00.005Z"
null: null no v
{"$gte":null}: null no v []
{"$lte":null}: null no v []
{"$in":["1970-01-01T00:00:00.005Z"]}: 5 [1,5] [[1,5]] "1970-01-01T00:00:00.005Z"
NaN: nothing'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
