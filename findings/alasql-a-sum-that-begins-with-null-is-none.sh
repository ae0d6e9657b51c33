#!/usr/bin/env bash
# alasql 4.19.1: the sum of NULL, 3 and 5 is missing, and that of 3, NULL and 5 is 8.
#
# Aggregates leave null out. Here sum, min and max of a group go by whether its first row is null:
# if so, they have no value, and HAVING sum(v) > 1 loses the group. count(v) counts null, so it is
# count(*), and avg divides by it: 8 through 3. `v IS NOT NULL` keeps the rows with null, for
# INSERT makes another nothing of NULL; `v > 0` does not keep them, and the sums are right.
#
# Guess before the run: 8, 2 and 4 for both groups.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" alasql@4.19.1 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import alasql from 'alasql'

alasql('CREATE TABLE t (g INT, v INT)')
alasql('INSERT INTO t VALUES (1, NULL), (1, 3), (1, 5), (2, 3), (2, NULL), (2, 5)')
for (const text of [
  'SELECT g, sum(v) AS s, min(v) AS low, max(v) AS high FROM t GROUP BY g',
  'SELECT g, count(v) AS n, avg(v) AS a FROM t GROUP BY g',
  'SELECT g, count(*) AS n FROM t GROUP BY g HAVING sum(v) > 1',
  'SELECT g, sum(v) AS s, count(v) AS n FROM t WHERE v IS NOT NULL GROUP BY g',
  'SELECT g, sum(v) AS s, count(v) AS n, avg(v) AS a FROM t WHERE v > 0 GROUP BY g',
]) {
  console.log(`${text}: ${JSON.stringify(alasql(text))}`)
}
JS
expected='SELECT g, sum(v) AS s, min(v) AS low, max(v) AS high FROM t GROUP BY g: [{"g":1},{"g":2,"s":8,"low":3,"high":5}]
SELECT g, count(v) AS n, avg(v) AS a FROM t GROUP BY g: [{"g":1,"n":3,"a":2.6666666666666665},{"g":2,"n":3,"a":2.6666666666666665}]
SELECT g, count(*) AS n FROM t GROUP BY g HAVING sum(v) > 1: [{"g":2,"n":3}]
SELECT g, sum(v) AS s, count(v) AS n FROM t WHERE v IS NOT NULL GROUP BY g: [{"g":1,"n":3},{"g":2,"s":8,"n":3}]
SELECT g, sum(v) AS s, count(v) AS n, avg(v) AS a FROM t WHERE v > 0 GROUP BY g: [{"g":1,"s":8,"n":2,"a":4},{"g":2,"s":8,"n":2,"a":4}]'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
