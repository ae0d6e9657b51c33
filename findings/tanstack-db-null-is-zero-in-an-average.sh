#!/usr/bin/env bash
# @tanstack/db 0.15.2: in a live query the average of 4 and null is 2, and the maximum of -4 is 0.
#
# Live queries are kept by differential dataflow. Their filters know null as SQL does: neither
# eq(v, 1) nor not(eq(v, 1)) keeps a row with null, and count(v) does not count it. sum, avg, min
# and max take null for 0: avg divides by all rows, and min and max return a 0 that is in no row. So
# avg is not sum by count of the same query. A field that is not set counts like null.
#
# Guess before the run: null is left out, as count leaves it out.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" @tanstack/db@0.15.2 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import {
  avg, count, createCollection, createLiveQueryCollection, eq, localOnlyCollectionOptions, max, min,
  not, sum,
} from "@tanstack/db";

const t = createCollection(
  localOnlyCollectionOptions({
    id: "t",
    getKey: (row) => row.id,
    initialData: [
      { id: 1, g: "4 and null", v: 4 },
      { id: 2, g: "4 and null", v: null },
      { id: 3, g: "-4 and null", v: -4 },
      { id: 4, g: "-4 and null", v: null },
      { id: 5, g: "-4 and not set", v: -4 },
      { id: 6, g: "-4 and not set" },
      { id: 7, g: "-4 alone", v: -4 },
    ],
  }),
);
const groups = createLiveQueryCollection({
  startSync: true,
  query: (q) =>
    q.from({ t }).groupBy(({ t }) => t.g).select(({ t }) => ({
      g: t.g, count: count(t.v), sum: sum(t.v), avg: avg(t.v), min: min(t.v), max: max(t.v),
    })),
});
await groups.preload();
for (const { g, count, sum, avg, min, max } of groups.toArray) {
  console.log(`${g}: count ${count}, sum ${sum}, avg ${avg}, min ${min}, max ${max}`);
}
for (const [name, condition] of [["v = 4", (t) => eq(t.v, 4)], ["NOT v = 4", (t) => not(eq(t.v, 4))]]) {
  const kept = createLiveQueryCollection({
    startSync: true,
    query: (q) => q.from({ t }).where(({ t }) => condition(t)).select(({ t }) => ({ id: t.id })),
  });
  await kept.preload();
  console.log(`${name}: ids ${kept.toArray.map((row) => row.id).join(", ")}`);
}
JS
expected='-4 alone: count 1, sum -4, avg -4, min -4, max -4
-4 and not set: count 1, sum -4, avg -2, min -4, max 0
-4 and null: count 1, sum -4, avg -2, min -4, max 0
4 and null: count 1, sum 4, avg 2, min 0, max 4
v = 4: ids 1
NOT v = 4: ids 3, 5, 7'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
