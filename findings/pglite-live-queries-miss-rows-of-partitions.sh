#!/usr/bin/env bash
# @electric-sql/pglite 0.5.17: a live query does not hear of TRUNCATE, nor of rows put into a partition.
#
# Live queries of PGlite (PostgreSQL in WebAssembly) find the tables of a query, and put triggers on
# them. A row that is inserted through a partitioned table is told; the same row inserted into the
# partition itself is not, nor is one of a child table (INHERITS). TRUNCATE is not told, so a live
# query goes on showing rows that are gone. A function in SQL is inlined, and what it reads is not
# told either: SELECT count(*) FROM f() stays, while the table inside it changes. There is no error
# and no warning; the next ordinary change of the named table brings everything.
#
# Guess before the run: each of these changes the live result, or is refused.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" @electric-sql/pglite@0.5.17 \
  >"$work/npm" 2>&1 || { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import { PGlite } from "@electric-sql/pglite";
import { live } from "@electric-sql/pglite/live";

const db = await PGlite.create({ extensions: { live } });
await db.exec(`
  CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1), (2);
  CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id);
  CREATE TABLE p0 PARTITION OF p FOR VALUES FROM (0) TO (10);
  CREATE TABLE base (id int); CREATE TABLE child () INHERITS (base);
  CREATE TABLE inside (id int);
  CREATE FUNCTION f() RETURNS SETOF inside LANGUAGE sql STABLE AS 'SELECT * FROM inside'`);
const shown = {};
for (const from of ["t", "p", "base", "f()"]) {
  await db.live.query(`SELECT count(*)::int AS n FROM ${from}`, [], ({ rows }) => (shown[from] = rows[0].n));
}
for (const [from, sql] of [
  ["p", "INSERT INTO p VALUES (1)"],
  ["p", "INSERT INTO p0 VALUES (2)"],
  ["base", "INSERT INTO child VALUES (1)"],
  ["f()", "INSERT INTO inside VALUES (1)"],
  ["t", "TRUNCATE t"],
  ["t", "INSERT INTO t VALUES (3)"],
]) {
  await db.exec(sql);
  await new Promise((then) => setTimeout(then, 500));
  const { rows: [{ n }] } = await db.query(`SELECT count(*)::int AS n FROM ${from}`);
  console.log(`${sql}: live ${shown[from]}, query ${n}`);
}
await db.close();
JS
expected='INSERT INTO p VALUES (1): live 1, query 1
INSERT INTO p0 VALUES (2): live 1, query 2
INSERT INTO child VALUES (1): live 0, query 1
INSERT INTO inside VALUES (1): live 0, query 1
TRUNCATE t: live 2, query 0
INSERT INTO t VALUES (3): live 1, query 1'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
