#!/usr/bin/env bash
# datatable 1.1.0: the sum of 2^62 and 2^62 is missing, and a number is missing once its column is stored.
#
# Integers wrap silently, which numpy does too. But the least integer of each type is datatable's mark for a
# missing value: a sum that wraps to it is None, and one that wraps on is a number again, so a running total is
# there, missing, and there. A column that is computed shows -2147483648 and counts no missing value; after
# materialize(), as before each write or rbind(), the same column has None, and mean() leaves it out.
#
# Guess before the run: an error, a float, or the wrapped number, and the same for the column both times.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'datatable==1.1.0'
cat >"$work/run.py" <<'PY'
from datatable import Frame, as_type, by, cumsum, f, int8, int32, mean, sum


def column(frame):
    return ", ".join(" ".join(str(value) for value in row) for row in frame.to_tuples())


large = Frame(x=[2**62, 2**62, -5], k=[1, 1, 2])
print("sums:", column(large[:, sum(f.x), by(f.k)]))
print("sum of all:", column(large[:, sum(f.x)]))
print("running sum:", column(large[:, cumsum(f.x)]))
sources = {
    "x + 1": Frame(x=[2147483647, 1], stype=int32)[:, {"y": f.x + 1}],
    "as int8": Frame(x=[300, 128, 5])[:, {"y": as_type(f.x, int8)}],
}
for name, frame in sources.items():
    for _ in range(2):
        missing, average = frame.countna()[0, 0], frame[:, mean(f.y)][0, 0]
        below = frame[f.y < 0, :].nrows
        print(f"{name}: {column(frame)}; {missing} missing, {below} below 0, mean {average:g}")
        frame.materialize()
PY
expected='sums: 1 None, 2 -5
sum of all: 9223372036854775803
running sum: 4611686018427387904, None, 9223372036854775803
x + 1: -2147483648, 2; 0 missing, 1 below 0, mean -1.07374e+09
x + 1: None, 2; 1 missing, 0 below 0, mean 2
as int8: 44, -128, 5; 0 missing, 1 below 0, mean -26.3333
as int8: 44, None, 5; 1 missing, 0 below 0, mean 24.5'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
