#!/usr/bin/env bash
# hyparquet 1.33.0: by orderBy the least of 3, NaN, 1 and 2 is 3, and a text stands before its elder beside a null.
#
# parquetQuery reads rows of a Parquet file in the order of a column. Its comparison says equal where neither value is
# less, so that null and NaN are equal to each text, and NaN to each number. An order needs more: with one such row the
# rows on its two sides are not compared, and stay where they are. null is 0 among numbers. The first rows, by rowEnd,
# are then others than the least, though no NaN and no null is among them. Statistics of the file are right.
#
# Guess before the run: the rows without a value first or last, and all others in order.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts 'hyparquet@1.33.0' 'hyparquet-writer@0.17.0' 2>npm ||
  { tail -5 npm; exit 1; }
cat >run.mjs <<'JS'
import { parquetQuery } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'

const texts = ['b', 'd', null, 'a', 'c']
const numbers = [3, NaN, 1, 2]
for (const [data, type] of [[texts.filter((v) => v !== null), 'STRING'], [texts, 'STRING'], [numbers, 'DOUBLE'], [[2, null, -1, 1], 'INT32']]) {
  const file = parquetWriteBuffer({ columnData: [{ name: 'v', data, type }] })
  const read = async (options) => (await parquetQuery({ file, ...options })).map((row) => String(row.v)).join(' ')
  const [all, two, filtered] = await Promise.all([
    read({ orderBy: 'v' }), read({ orderBy: 'v', rowEnd: 2 }), read({ orderBy: 'v', filter: { v: { $nin: [null, 'd', NaN] } } }),
  ])
  console.log(`${data.map(String).join(' ')}: in order ${all}; the first two ${two}; without d, null, NaN ${filtered}`)
}
JS
expected='b d a c: in order a b c d; the first two a b; without d, null, NaN a b c
b d null a c: in order b d null a c; the first two b d; without d, null, NaN a b c
3 NaN 1 2: in order 3 NaN 1 2; the first two 3 NaN; without d, null, NaN 3 NaN 1 2
2 null -1 1: in order -1 null 1 2; the first two -1 null; without d, null, NaN -1 1 2'
seen=$(node run.mjs 2>errors) || { tail -5 errors; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
