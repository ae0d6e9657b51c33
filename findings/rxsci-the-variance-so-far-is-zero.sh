#!/usr/bin/env bash
# rxsci 0.33.0: after each of 1, 3 and 8 the formal variance so far is 0, at the end it is 8.67; the other one has 13.
#
# rs.math.variance and rs.math.formal.variance both emit, as documented, an item for each item of the source, or one
# on completion with reduce=True. The formal one keeps all items in a list, and empties the list each time it has
# computed: the next value is the variance of one item, 0, whatever came. stddev is the same, and so is either in a
# group or in a rolling window. The documentation has them as two implementations, one exact and one for large
# sources. They also differ in what they compute: the formal one divides by n, the other by n - 1.
#
# Guess before the run: 0, 1 and 8.67 one after the other, and the same values from both.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'rxsci==0.33.0' 'rx==3.2.0'
cat >"$work/run.py" <<'PY'
import rx
import rxsci as rs

ROWS = [("a", 1), ("b", 10), ("a", 3), ("b", 30), ("a", 8)]


def shown(rows, *operators):
    out = []
    rx.from_(rows).pipe(rs.state.with_memory_store(rx.pipe(*operators))).subscribe(on_next=out.append)
    return ", ".join(f"{value:.2f}" for value in out)


for name, module in (("variance", rs.math), ("formal.variance", rs.math.formal)):
    for reduce in (False, True):
        one = module.variance(reduce=reduce)
        deviation = module.stddev(reduce=reduce)
        groups = rs.ops.group_by(lambda row: row[0], pipeline=rx.pipe(module.variance(lambda row: row[1], reduce=reduce)))
        rolls = rs.data.roll(window=2, stride=2, pipeline=rx.pipe(module.variance(reduce=reduce)))
        print(f"{name}, {'at the end' if reduce else 'so far'}")
        print(f"  of 1, 3, 8: {shown([1, 3, 8], one)}; stddev {shown([1, 3, 8], deviation)}")
        print(f"  of a's 1, 3, 8 and b's 10, 30: {shown(ROWS, groups)}; of 1, 3 and 5, 9: {shown([1, 3, 5, 9], rolls)}")
PY
expected="variance, so far
  of 1, 3, 8: 0.00, 2.00, 13.00; stddev 0.00, 1.41, 3.61
  of a's 1, 3, 8 and b's 10, 30: 0.00, 0.00, 2.00, 200.00, 13.00; of 1, 3 and 5, 9: 0.00, 2.00, 0.00, 8.00
variance, at the end
  of 1, 3, 8: 13.00; stddev 3.61
  of a's 1, 3, 8 and b's 10, 30: 13.00, 200.00; of 1, 3 and 5, 9: 2.00, 8.00
formal.variance, so far
  of 1, 3, 8: 0.00, 0.00, 0.00; stddev 0.00, 0.00, 0.00
  of a's 1, 3, 8 and b's 10, 30: 0.00, 0.00, 0.00, 0.00, 0.00; of 1, 3 and 5, 9: 0.00, 0.00, 0.00, 0.00
formal.variance, at the end
  of 1, 3, 8: 8.67; stddev 2.94
  of a's 1, 3, 8 and b's 10, 30: 8.67, 100.00; of 1, 3 and 5, 9: 1.00, 4.00"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
