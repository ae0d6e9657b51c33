#!/usr/bin/env bash
# jsonata 2.2.2: 01:00 at -03:30 is read as 03:30 UTC, and 00:00 UTC is shown at -0330 as 19:30-04:30.
#
# The zone -03:30 of Newfoundland is three and a half hours behind UTC: 01:00 there is 04:30 UTC, and midnight UTC is
# 20:30. $toMillis takes the minutes of an offset as positive, whatever the sign of its hours: -3 hours and +30
# minutes. $fromMillis rounds hours down and takes the minutes from there: at -0330 it is -4 hours and 30 minutes. So
# what it wrote, it reads as another time. East of Greenwich both are right. By the pictures of XPath, which
# JSONata's reference follows, [f001] is the fraction of a second: 50 ms are 05 by [f01], and not 50. Day 366 of
# 2023 is 1 January of that year, where the month 13 is in the next.
#
# Guess before the run: 04:30, 20:30-03:30, and 00.05.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" jsonata@2.2.2 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import jsonata from 'jsonata'

const minutes = '[Y0001]-[M01]-[D01] [H01]:[m01] [Z]'
for (const zone of ['-03:30', '-03:00', '+05:30', '-00:30']) {
  const read = await jsonata(`$fromMillis($toMillis("2024-01-01 01:00 ${zone}", "${minutes}"))`).evaluate({})
  const written = await jsonata(`$fromMillis(0, "${minutes}", "${zone.replace(':', '')}")`).evaluate({})
  const again = await jsonata(`$fromMillis($toMillis("${written}", "${minutes}"))`).evaluate({})
  console.log(`01:00 at ${zone}: ${read}; 1970 began at ${written}, which is ${again}`)
}
for (const expression of [
  '$fromMillis(1050, "[s01].[f001]")',
  '$fromMillis(1050, "[s01].[f01]")',
  '$fromMillis(1567, "[s01].[f1]")',
  '$fromMillis($toMillis("2024-366", "[Y0001]-[d001]"))',
  '$fromMillis($toMillis("2023-366", "[Y0001]-[d001]"))',
  '$fromMillis($toMillis("2023-13-01", "[Y0001]-[M01]-[D01]"))',
]) {
  console.log(`${expression}: ${await jsonata(expression).evaluate({})}`)
}
JS
expected='01:00 at -03:30: 2024-01-01T03:30:00.000Z; 1970 began at 1969-12-31 19:30 -04:30, which is 1969-12-31T23:00:00.000Z
01:00 at -03:00: 2024-01-01T04:00:00.000Z; 1970 began at 1969-12-31 21:00 -03:00, which is 1970-01-01T00:00:00.000Z
01:00 at +05:30: 2023-12-31T19:30:00.000Z; 1970 began at 1970-01-01 05:30 +05:30, which is 1970-01-01T00:00:00.000Z
01:00 at -00:30: 2024-01-01T00:30:00.000Z; 1970 began at 1969-12-31 22:30 -01:30, which is 1969-12-31T23:00:00.000Z
$fromMillis(1050, "[s01].[f001]"): 01.050
$fromMillis(1050, "[s01].[f01]"): 01.50
$fromMillis(1567, "[s01].[f1]"): 01.567
$fromMillis($toMillis("2024-366", "[Y0001]-[d001]")): 2024-12-31T00:00:00.000Z
$fromMillis($toMillis("2023-366", "[Y0001]-[d001]")): 2023-01-01T00:00:00.000Z
$fromMillis($toMillis("2023-13-01", "[Y0001]-[M01]-[D01]")): 2024-01-01T00:00:00.000Z'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
