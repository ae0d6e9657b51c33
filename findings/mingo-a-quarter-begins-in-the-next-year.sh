#!/usr/bin/env bash
# mingo 7.2.7: the quarter of February 1999 begins in 2000, and the 3 January 2021 is in week 54.
#
# mingo runs MongoDB pipelines over objects. $dateTrunc by quarter gives the next year for each day of
# a first quarter before 2000, so groups by quarter mix two years. $week counts weeks from the first
# Sunday on, from 0 to 53: mingo has another number for most days. $isoWeekYear is the year itself, so
# 2021-01-03, in the ISO week 53 of 2020, is in 2021-W53. $dateAdd of a month to 31 January is 2 March,
# where MongoDB takes the last day of February. The README names no such difference.
#
# Guess before the run: 1999-01-01, week 1, 2020-W53 and 29 February.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" mingo@7.2.7 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import { Aggregator } from 'mingo'

const days = ['1998-12-31', '1999-02-15', '1999-05-15', '2000-02-15', '2021-01-01', '2021-01-03', '2024-01-31']
const day = (date) => date.toISOString().slice(0, 10)
const rows = new Aggregator([
  {
    $project: {
      date: 1,
      quarter: { $dateTrunc: { date: '$date', unit: 'quarter' } },
      week: { $week: '$date' },
      isoYear: { $isoWeekYear: '$date' },
      isoWeek: { $isoWeek: '$date' },
      later: { $dateAdd: { startDate: '$date', unit: 'month', amount: 1 } },
    },
  },
]).run(days.map((text) => ({ date: new Date(text + 'T00:00:00Z') })))
for (const { date, quarter, week, isoYear, isoWeek, later } of rows) {
  console.log(`${day(date)}: quarter ${day(quarter)}, week ${week}, ISO ${isoYear}-W${isoWeek}, a month later ${day(later)}`)
}
JS
expected='1998-12-31: quarter 1998-10-01, week 53, ISO 1998-W53, a month later 1999-01-31
1999-02-15: quarter 2000-01-01, week 7, ISO 1999-W7, a month later 1999-03-15
1999-05-15: quarter 1999-04-01, week 19, ISO 1999-W19, a month later 1999-06-15
2000-02-15: quarter 2000-01-01, week 7, ISO 2000-W7, a month later 2000-03-15
2021-01-01: quarter 2021-01-01, week 0, ISO 2021-W53, a month later 2021-02-01
2021-01-03: quarter 2021-01-01, week 54, ISO 2021-W53, a month later 2021-02-03
2024-01-31: quarter 2024-01-01, week 5, ISO 2024-W5, a month later 2024-03-02'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
