#!/usr/bin/env bash
# pg-mem 3.0.14: a year after 31 January 2024 is 25 January 2025, and a month before it is 1 January.
#
# pg-mem is PostgreSQL in memory, for tests. PostgreSQL goes by the calendar: the same day of another month or year,
# or its last day. pg-mem adds 30 days for a month and 360 for a year. So a date leaves its place by five or six
# days with each year, a filter for the last month or year keeps and loses other rows, and twelve months are no year
# of days. Days and hours are right.
#
# Guess before the run: the days of PostgreSQL.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" pg-mem@3.0.14 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import { newDb } from "pg-mem";

const db = newDb().public;
db.none("CREATE TABLE t (id int, day timestamp)");
db.none("INSERT INTO t VALUES (1, '2024-01-31'), (2, '2023-01-30'), (3, '2024-03-31'), (4, '2024-02-29')");
const day = (value) => value.toISOString().slice(0, 10);
for (const change of ["+ interval '1 month'", "- interval '1 month'", "+ interval '1 year'", "+ interval '1 day'"]) {
  const rows = db.many(`SELECT day, day ${change} AS moved FROM t ORDER BY id`);
  console.log(`${change}: ${rows.map((row) => `${day(row.day)} to ${day(row.moved)}`).join(", ")}`);
}
const found = db.many("SELECT id FROM t WHERE day + interval '1 month' > '2024-02-29'");
console.log(`a month later after 29 February 2024: ids ${found.map((row) => row.id).join(", ")}`);
JS
expected="+ interval '1 month': 2024-01-31 to 2024-03-01, 2023-01-30 to 2023-03-01, 2024-03-31 to 2024-04-30, 2024-02-29 to 2024-03-30
- interval '1 month': 2024-01-31 to 2024-01-01, 2023-01-30 to 2022-12-31, 2024-03-31 to 2024-03-01, 2024-02-29 to 2024-01-30
+ interval '1 year': 2024-01-31 to 2025-01-25, 2023-01-30 to 2024-01-25, 2024-03-31 to 2025-03-26, 2024-02-29 to 2025-02-23
+ interval '1 day': 2024-01-31 to 2024-02-01, 2023-01-30 to 2023-01-31, 2024-03-31 to 2024-04-01, 2024-02-29 to 2024-03-01
a month later after 29 February 2024: ids 1, 3, 4"
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
