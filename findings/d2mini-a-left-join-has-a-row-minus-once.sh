#!/usr/bin/env bash
# @electric-sql/d2mini 0.1.8: a left join of one row with two partners has the row without a partner -1 times.
#
# A left join is the inner join and the rows of the left side that have no partner. Those are computed as the left rows
# less one for each pair, so that a row with a second partner is taken back twice, whether both come at once or one after
# the other. consolidate(), which adds up the changes of a step, passes -1 on, and a count of the rows is one too small.
# A partner that leaves adds the row again, so that one partner or none is right. The right and the full join do the
# same on their sides.
#
# Guess before the run: pairs alone, and the row without a partner 0 times.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts '@electric-sql/d2mini@0.1.8' 2>npm ||
  { tail -5 npm; exit 1; }
cat >run.mjs <<'JS'
import { consolidate, D2, join, MultiSet, output } from '@electric-sql/d2mini'

const run = (kind, what, ...steps) => {
  const graph = new D2()
  const [left, right] = [graph.newInput(), graph.newInput()]
  const counts = new Map()
  left.pipe(join(right, kind), consolidate(), output((changes) => {
    for (const [[, [a, b]], count] of changes.getInner()) {
      const row = `(${a}, ${b})`
      counts.set(row, (counts.get(row) ?? 0) + count)
    }
  }))
  graph.finalize()
  console.log(`${kind}, ${what}`)
  for (const [side, ...rows] of steps) {
    const input = side === 'left' ? left : right
    input.sendData(new MultiSet(rows.map(([value, count]) => [['k', value], count])))
    graph.run()
    const shown = [...counts].filter(([, count]) => count !== 0).map(([row, count]) => `${row} ${count}`)
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
    console.log(`  ${side} ${rows.map(([value, count]) => `${value} ${count}`).join(', ')}: ${shown.join(', ')}; ${total} rows`)
  }
}
run('left', 'two partners at once', ['left', [1, 1]], ['right', ['A', 1], ['B', 1]], ['right', ['A', -1]], ['right', ['B', -1]])
run('left', 'one after the other', ['left', [1, 1]], ['right', ['A', 1]], ['right', ['B', 1]], ['right', ['A', -1]], ['right', ['B', -1]])
run('right', 'two partners at once', ['right', ['A', 1]], ['left', [1, 1], [2, 1]])
run('full', 'two rows wait for a partner', ['left', [1, 1], [2, 1]], ['right', ['A', 1]], ['left', [1, -1]])
JS
expected='left, two partners at once
  left 1 1: (1, null) 1; 1 rows
  right A 1, B 1: (1, null) -1, (1, A) 1, (1, B) 1; 1 rows
  right A -1: (1, B) 1; 1 rows
  right B -1: (1, null) 1; 1 rows
left, one after the other
  left 1 1: (1, null) 1; 1 rows
  right A 1: (1, A) 1; 1 rows
  right B 1: (1, null) -1, (1, A) 1, (1, B) 1; 1 rows
  right A -1: (1, B) 1; 1 rows
  right B -1: (1, null) 1; 1 rows
right, two partners at once
  right A 1: (null, A) 1; 1 rows
  left 1 1, 2 1: (null, A) -1, (1, A) 1, (2, A) 1; 1 rows
full, two rows wait for a partner
  left 1 1, 2 1: (1, null) 1, (2, null) 1; 2 rows
  right A 1: (1, A) 1, (2, A) 1, (null, A) -1; 1 rows
  left 1 -1: (2, A) 1; 1 rows'
seen=$(node run.mjs 2>errors) || { tail -5 errors; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
