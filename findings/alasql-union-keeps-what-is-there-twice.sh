#!/usr/bin/env bash
# alasql 4.19.1: UNION keeps the rows that its second query has twice, and INTERSECT those of its first.
#
# UNION, INTERSECT and EXCEPT without ALL give each row once. alasql takes all the rows of the second
# query and adds what is missing of the first, so b, twice in u, is twice in the union: a count over it
# is too large. INTERSECT and EXCEPT keep the duplicates of the first query. With DISTINCT in that
# query the rows are right.
#
# Guess before the run: each row once.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" alasql@4.19.1 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import alasql from 'alasql'

const db = new alasql.Database('finding')
db.exec('CREATE TABLE t (k STRING)')
db.exec("INSERT INTO t VALUES ('a'), ('a'), ('b'), ('c'), ('c')")
db.exec('CREATE TABLE u (k STRING)')
db.exec("INSERT INTO u VALUES ('a'), ('b'), ('b'), ('d')")
for (const query of [
  'SELECT k FROM t UNION SELECT k FROM u',
  'SELECT k FROM u UNION SELECT k FROM t',
  'SELECT k FROM t UNION SELECT DISTINCT k FROM u',
  'SELECT COUNT(*) AS k FROM (SELECT k FROM u UNION SELECT k FROM t)',
  'SELECT k FROM t INTERSECT SELECT k FROM u',
  'SELECT k FROM t EXCEPT SELECT k FROM u',
  'SELECT DISTINCT k FROM t EXCEPT SELECT k FROM u',
]) {
  console.log(`${query}: ${db.exec(query).map(({ k }) => k).sort().join(', ')}`)
}
JS
expected='SELECT k FROM t UNION SELECT k FROM u: a, b, b, c, d
SELECT k FROM u UNION SELECT k FROM t: a, a, b, c, c, d
SELECT k FROM t UNION SELECT DISTINCT k FROM u: a, b, c, d
SELECT COUNT(*) AS k FROM (SELECT k FROM u UNION SELECT k FROM t): 6
SELECT k FROM t INTERSECT SELECT k FROM u: a, a, b
SELECT k FROM t EXCEPT SELECT k FROM u: c, c
SELECT DISTINCT k FROM t EXCEPT SELECT k FROM u: c'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
