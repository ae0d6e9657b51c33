#!/usr/bin/env bash
# arquero 7.2.1: cume_dist() of 10, 10, 20, 20 is 0.25, 0.5, 1, 1.
#
# cume_dist is the share of rows up to the last one that is equal in the order, so equal rows have one value.
# arquero gives it to all equal rows except those at the beginning, which are counted up one by one. rank, avg_rank
# and percent_rank of the same rows are equal. A filter for the lowest half finds one of two equal rows, or both, by
# chance of their place.
#
# Guess before the run: 0.5, 0.5, 1, 1.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" arquero@7.2.1 >"$work/npm" 2>&1 ||
  { tail -5 "$work/npm"; exit 1; }
cat >"$work/run.mjs" <<'JS'
import * as aq from "arquero";

const { op } = aq;
for (const v of [[10, 10, 20, 20], [10, 20, 20, 30], [10, 10, 10, 10], [null, null, 5, 6]]) {
  const derived = aq.table({ v }).orderby("v").derive({
    rank: op.rank(),
    avg_rank: op.avg_rank(),
    percent_rank: op.percent_rank(),
    cume_dist: op.cume_dist(),
  });
  console.log(`${v.map(String).join(", ")}:`);
  for (const name of ["rank", "avg_rank", "percent_rank", "cume_dist"]) {
    console.log(`  ${name} ${derived.array(name).map((x) => Math.round(x * 1000) / 1000).join(", ")}`);
  }
}
JS
expected='10, 10, 20, 20:
  rank 1, 1, 3, 3
  avg_rank 1.5, 1.5, 3.5, 3.5
  percent_rank 0, 0, 0.667, 0.667
  cume_dist 0.25, 0.5, 1, 1
10, 20, 20, 30:
  rank 1, 2, 2, 4
  avg_rank 1, 2.5, 2.5, 4
  percent_rank 0, 0.333, 0.333, 1
  cume_dist 0.25, 0.75, 0.75, 1
10, 10, 10, 10:
  rank 1, 1, 1, 1
  avg_rank 2.5, 2.5, 2.5, 2.5
  percent_rank 0, 0, 0, 0
  cume_dist 0.25, 1, 1, 1
null, null, 5, 6:
  rank 1, 1, 3, 4
  avg_rank 1.5, 1.5, 3, 4
  percent_rank 0, 0, 0.667, 1
  cume_dist 0.25, 0.5, 0.75, 1'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
