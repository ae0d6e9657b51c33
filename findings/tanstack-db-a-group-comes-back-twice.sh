#!/usr/bin/env bash
# @tanstack/db 0.15.2: with a group of null among numbers, a live query has the same group two or three times.
#
# A live query by groups holds one row for each group. If the groups are null, 1 and 2, and the last row of a group
# goes and comes back, the group is in toArray twice, with the same numbers. With each further change a deleted
# group can come back once more. `size` goes on counting each group once, so it is not the length of toArray any
# more. A query that is made anew has the right rows. Groups of numbers alone, and groups of texts and null, stay
# right.
#
# The keys are kept sorted, and their order puts null nowhere among numbers: a search does not find the key that is
# there.
#
# Guess before the run: one row for each group, as a new query has it.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" @tanstack/db@0.15.2 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import { count, createCollection, createLiveQueryCollection, localOnlyCollectionOptions } from "@tanstack/db";

async function run(groups) {
  const t = createCollection(
    localOnlyCollectionOptions({
      id: "t",
      getKey: (row) => row.id,
      initialData: groups.map((g, id) => ({ id, g })),
    }),
  );
  const query = async () => {
    const live = createLiveQueryCollection({
      startSync: true,
      query: (q) => q.from({ t }).groupBy(({ t }) => t.g).select(({ t }) => ({ g: t.g, n: count(t.id) })),
    });
    await live.preload();
    return live;
  };
  const show = (live) => `${live.toArray.map((row) => `${row.g} (${row.n})`).join(", ")}; size ${live.size}`;
  const live = await query();
  console.log(`groups ${groups.join(", ")}: ${show(live)}`);
  for (const [id, g] of groups.entries()) {
    t.delete(id);
    console.log(`  ${g} goes: ${show(live)}`);
    t.insert({ id, g });
    console.log(`  ${g} comes back: ${show(live)}`);
  }
  console.log(`  a new query: ${show(await query())}`);
}

await run([1, null, 2]);
await run([1, 3, 2]);
await run(["a", null, "b"]);
JS
expected='groups 1, , 2: 1 (1), null (1), 2 (1); size 3
  1 goes: null (1); size 2
  1 comes back: 1 (1), null (1), 1 (1); size 3
  null goes: 1 (1), 1 (1); size 2
  null comes back: 1 (1), 1 (1), null (1); size 3
  2 goes: 1 (1), 1 (1), null (1); size 2
  2 comes back: 1 (1), 1 (1), null (1), 2 (1); size 3
  a new query: 1 (1), null (1), 2 (1); size 3
groups 1, 3, 2: 1 (1), 2 (1), 3 (1); size 3
  1 goes: 2 (1), 3 (1); size 2
  1 comes back: 1 (1), 2 (1), 3 (1); size 3
  3 goes: 1 (1), 2 (1); size 2
  3 comes back: 1 (1), 2 (1), 3 (1); size 3
  2 goes: 1 (1), 3 (1); size 2
  2 comes back: 1 (1), 2 (1), 3 (1); size 3
  a new query: 1 (1), 2 (1), 3 (1); size 3
groups a, , b: a (1), b (1), null (1); size 3
  a goes: b (1), null (1); size 2
  a comes back: a (1), b (1), null (1); size 3
  null goes: a (1), b (1); size 2
  null comes back: a (1), b (1), null (1); size 3
  b goes: a (1), null (1); size 2
  b comes back: a (1), b (1), null (1); size 3
  a new query: a (1), b (1), null (1); size 3'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
