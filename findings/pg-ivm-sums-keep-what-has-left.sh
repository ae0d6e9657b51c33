#!/usr/bin/env bash
# pg_ivm (PGlite 0.5.14, pglite-pg_ivm 0.0.15): after a NaN is deleted, the sum of the rest is NaN.
#
# pg_ivm keeps materialized views of PostgreSQL by triggers: sum and avg add what comes and subtract
# what goes. NaN minus NaN and infinity minus infinity are NaN, so one such row, while it is there,
# spoils its group until the group is empty, also for numeric, whose sums are exact. After 1e16 has
# gone, the 1 beside it is gone as well. min and max, which pg_ivm computes anew, are right; so is
# the view after refresh_immv.
#
# Guess before the run: the sum of the rows that are there, as the query has it.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --legacy-peer-deps --prefix "$work" \
  @electric-sql/pglite@0.5.14 @electric-sql/pglite-pg_ivm@0.0.15 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import { PGlite } from "@electric-sql/pglite";
import { pg_ivm } from "@electric-sql/pglite-pg_ivm";

const db = await PGlite.create({ extensions: { pg_ivm } });
const query = "SELECT g, sum(n) AS n, sum(f) AS f, max(f) AS max FROM t GROUP BY g";
await db.exec(`
  CREATE EXTENSION pg_ivm;
  CREATE TABLE t (g text, gone bool, n numeric, f float8);
  SELECT pgivm.create_immv('v', '${query}');
  INSERT INTO t VALUES ('NaN', true, 'NaN', 'NaN'), ('infinity', true, 'infinity', 'infinity'),
    ('1e16', true, 1e16, 1e16);
  INSERT INTO t SELECT g, false, 1, 1 FROM t;
  DELETE FROM t WHERE gone;
`);
const show = async (name, from) => {
  const { rows } = await db.query(`SELECT g, n::text, f::text, max::text FROM ${from} ORDER BY g`);
  for (const { g, n, f, max } of rows) {
    console.log(`${name}, after ${g} has gone: numeric ${n}, float ${f}, max ${max}`);
  }
};
await show("query", `(${query}) AS q`);
await show("view", "v");
await db.exec("SELECT pgivm.refresh_immv('v', true)");
await show("view, refreshed", "v");
JS
expected='query, after 1e16 has gone: numeric 1, float 1, max 1
query, after NaN has gone: numeric 1, float 1, max 1
query, after infinity has gone: numeric 1, float 1, max 1
view, after 1e16 has gone: numeric 1, float 0, max 1
view, after NaN has gone: numeric NaN, float NaN, max 1
view, after infinity has gone: numeric NaN, float NaN, max 1
view, refreshed, after 1e16 has gone: numeric 1, float 1, max 1
view, refreshed, after NaN has gone: numeric 1, float 1, max 1
view, refreshed, after infinity has gone: numeric 1, float 1, max 1'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
