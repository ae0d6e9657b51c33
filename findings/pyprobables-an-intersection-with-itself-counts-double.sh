#!/usr/bin/env bash
# pyprobables 0.7.0: a counting Bloom filter with a twice, intersected with itself, has a four times.
#
# A counting Bloom filter tells how often a key was added. What two of them have in common is the
# smaller count: of 2 and 5 it is 2, and of a filter and itself each count stays. intersection() adds the
# counts of the keys which both have: 7 and 4. So a key stays in the filter after it is removed as often
# as it was there. union() adds them as well. A QuotientFilter from which five of ten keys were removed
# has five, and its elements_added, by which others judge how full it is, is still ten.
#
# Guess before the run: 2 and 2, and five.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyprobables==0.7.0'
cat >"$work/run.py" <<'PY'
from probables import CountingBloomFilter, QuotientFilter


def made(**counts):
    counting = CountingBloomFilter(est_elements=100, false_positive_rate=0.01)
    for key, count in counts.items():
        counting.add(key, count)
    return counting


def shown(counting):
    return ", ".join(f"{key} {counting.check(key)}" for key in "abc")


left, right = made(a=2, b=1), made(a=5, c=1)
print("left:", shown(left))
print("right:", shown(right))
print("in both:", shown(left.intersection(right)))
print("left and left:", shown(left.intersection(left)))
both = left.intersection(left)
both.remove("a", 2)
print("after a was removed twice:", shown(both))
quotient = QuotientFilter(quotient=8)
for number in range(10):
    quotient.add(str(number))
for number in range(5):
    quotient.remove(str(number))
print(f"quotient filter: {sum(quotient.check(str(number)) for number in range(10))} of ten, says {quotient.elements_added}")
PY
expected='left: a 2, b 1, c 0
right: a 5, b 0, c 1
in both: a 7, b 0, c 0
left and left: a 4, b 2, c 0
after a was removed twice: a 2, b 2, c 0
quotient filter: 5 of ten, says 10'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
