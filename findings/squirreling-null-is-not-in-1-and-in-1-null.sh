#!/usr/bin/env bash
# squirreling 0.12.11: a null passes `v NOT IN (1)`, and not `v NOT IN (1, NULL)`, which passes 3.
#
# squirreling says that it mostly follows the SQL standard. There IN and NOT of an unknown are
# unknown: NOT IN (1) has no null, and NOT IN with a null in its list has no row at all. Comparisons
# of columns know that: neither `v = 1` nor `v <> 1` has a null. NOT takes unknown for false, so
# `NOT (v = 1)` has it; IN looks for null as for a value, and finds null in a list with null; CASE v
# WHEN NULL is true of null.
#
# Guess before the run: three-valued logic, all over.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" squirreling@0.12.11 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import { collect, executeSql } from 'squirreling'

const tables = { t: [{ v: 1 }, { v: null }, { v: 3 }], u: [{ w: 1 }, { w: null }] }
for (const end of [
  'WHERE v <> 1',
  'WHERE NOT (v = 1)',
  'WHERE v NOT IN (1)',
  'WHERE v NOT IN (1, NULL)',
  'WHERE v IN (1, NULL)',
  'WHERE v NOT IN (SELECT w FROM u)',
  'WHERE v NOT BETWEEN 2 AND 5',
  'WHERE NOT (v BETWEEN 2 AND 5)',
  "WHERE CASE v WHEN NULL THEN 'null' ELSE 'other' END = 'null'",
  'WHERE (v = 1) IS NULL',
]) {
  const rows = await collect(executeSql({ tables, query: `SELECT v FROM t ${end}` }))
  console.log(`${end}: ${rows.map(({ v }) => `${v}`).join(', ') || 'no rows'}`)
}
JS
expected="WHERE v <> 1: 3
WHERE NOT (v = 1): null, 3
WHERE v NOT IN (1): null, 3
WHERE v NOT IN (1, NULL): 3
WHERE v IN (1, NULL): 1, null
WHERE v NOT IN (SELECT w FROM u): 3
WHERE v NOT BETWEEN 2 AND 5: 1
WHERE NOT (v BETWEEN 2 AND 5): 1, null
WHERE CASE v WHEN NULL THEN 'null' ELSE 'other' END = 'null': null
WHERE (v = 1) IS NULL: no rows"
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
