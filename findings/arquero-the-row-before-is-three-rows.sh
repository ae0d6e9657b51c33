#!/usr/bin/env bash
# arquero 7.2.1: the rolling sum over the frame [-1, -1] is that over [-1, 1].
#
# rolling(expression, [a, b]) takes the rows from offset a to offset b. Frames that hold the current row are right.
# In other frames both offsets lose their sign: a goes before the row and b after it. So the value of the row
# before, [-1, -1], is a sum of three rows, and the rows two and three before, [-3, -2], are those from three before
# to two after: a sum of the past knows the future. The count over such a frame counts the same rows.
#
# Guess before the run: offsets with their signs.
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
const rows = aq.table({ v: [1, 2, 4, 8, 16] });
for (const frame of [[-1, 0], [-2, 0], [-1, 1], [-1, -1], [-2, -1], [-3, -2], [1, 1], [1, 2], [2, 3]]) {
  const derived = rows.derive({
    sum: aq.rolling((d) => op.sum(d.v), frame),
    count: aq.rolling(() => op.count(), frame),
  });
  const expected = [0, 1, 2, 3, 4].map((i) =>
    [1, 2, 4, 8, 16].filter((_, j) => j >= i + frame[0] && j <= i + frame[1]).reduce((a, b) => a + b, 0),
  );
  const sums = derived.array("sum").map((value) => value ?? "none");
  console.log(`[${frame}]: sums ${sums.join(", ")}; counts ${derived.array("count").join(", ")}; by hand ${expected.join(", ")}`);
}
JS
expected='[-1,0]: sums 1, 3, 6, 12, 24; counts 1, 2, 2, 2, 2; by hand 1, 3, 6, 12, 24
[-2,0]: sums 1, 3, 7, 14, 28; counts 1, 2, 3, 3, 3; by hand 1, 3, 7, 14, 28
[-1,1]: sums 3, 7, 14, 28, 24; counts 2, 3, 3, 3, 2; by hand 3, 7, 14, 28, 24
[-1,-1]: sums 3, 7, 14, 28, 24; counts 2, 3, 3, 3, 2; by hand 0, 1, 2, 4, 8
[-2,-1]: sums 3, 7, 15, 30, 28; counts 2, 3, 4, 4, 3; by hand 0, 1, 3, 6, 12
[-3,-2]: sums 7, 15, 31, 31, 30; counts 3, 4, 5, 5, 4; by hand 0, 0, 1, 3, 6
[1,1]: sums 3, 7, 14, 28, 24; counts 2, 3, 3, 3, 2; by hand 2, 4, 8, 16, 0
[1,2]: sums 7, 15, 30, 28, 24; counts 3, 4, 4, 3, 2; by hand 6, 12, 24, 16, 0
[2,3]: sums 15, 31, 31, 30, 28; counts 4, 5, 5, 4, 3; by hand 12, 24, 16, 0, 0'
seen=$(node "$work/run.mjs" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
