#!/usr/bin/env bash
# static-frame 5.1.1: an inner join pairs 2^53 + 1 with the float 2^53, and the right join has no partner for it.
#
# A right join has the pairs of the inner join, and the rows of the right side that have no partner; a left join
# likewise. Here the keys are integers on one side and floats on the other. The join compares each key of one side
# with the array of the other: an integer becomes a float, where 2^53 + 1 is 2^53, but a float finds no equal among
# integers. Inner joins go the first way from either side, left and right joins from their own side. So an inner
# join has a pair whose rows have no partner in an outer join, by which column was made of floats.
#
# Guess before the run: the pairs of the inner join are in all four, whichever they are.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'static-frame==5.1.1' 'numpy==2.4.6'
cat >"$work/run.py" <<'PY'
import static_frame as sf

BIG = 2**53
integers = sf.Frame.from_records([(BIG + 1, "big"), (3, "three")], columns=("i", "left"))
floats = sf.Frame.from_records([(float(BIG), "BIG"), (3.0, "THREE")], columns=("f", "right"))
for name, one, other, keys in (("integers with floats", integers, floats, ("i", "f")), ("floats with integers", floats, integers, ("f", "i"))):
    for how in ("inner", "left", "right", "outer"):
        join = getattr(one, f"join_{how}")
        joined = join(other, left_columns=keys[0], right_columns=keys[1], fill_value=None)
        pairs = sorted(f"{left} {right}" for left, right in zip(joined["left"].values, joined["right"].values))
        print(f"{name}, {how}: {', '.join(pairs)}")
PY
expected='integers with floats, inner: big BIG, three THREE
integers with floats, left: big BIG, three THREE
integers with floats, right: None BIG, three THREE
integers with floats, outer: big BIG, three THREE
floats with integers, inner: big BIG, three THREE
floats with integers, left: None BIG, three THREE
floats with integers, right: big BIG, three THREE
floats with integers, outer: None BIG, big None, three THREE'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
