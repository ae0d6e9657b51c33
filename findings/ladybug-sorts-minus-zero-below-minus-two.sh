#!/usr/bin/env bash
# ladybug 0.22.0 (formerly Kuzu): -0.0 is sorted below -2.5, and the minimum of -2.5, NaN, 7 is 7.
#
# ORDER BY puts -0.0, which is what round() makes of -0.4, before every negative number, so that a
# query for the least row returns it; min and comparisons know that it is 0. NaN has three places:
# ORDER BY has it above all numbers, `v < -1` finds it with the small ones, and for min NaN is less
# than any number, and any number less than NaN, so that min starts again after it, while max keeps
# a NaN only if it came first. The order of the rows decides: the minimum of the same three is 7,
# -2.5 or NaN.
#
# Guess before the run: NaN is above all numbers for a minimum too, as ORDER BY has it; -0.0 is a zero.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'ladybug==0.22.0'
cat >"$work/run.py" <<'PY'
import ladybug

run = ladybug.Connection(ladybug.Database(":memory:")).execute
for i, values in enumerate(
    (
        ("-2.5", "1", "7"),
        ("-2.5", "nan", "7"),
        ("nan", "-2.5", "7"),
        ("7", "-2.5", "nan"),
        ("1", "-0.0", "-2.5", "-0.001"),
        ("1", "0.0", "-2.5", "-0.001"),
    )
):
    run(f"CREATE NODE TABLE t{i} (k INT64 PRIMARY KEY, v DOUBLE)")
    for k, value in enumerate(values):
        run(f"CREATE (:t{i} {{k: {k}, v: cast('{value}' AS DOUBLE)}})")
    print(*values, sep=", ")
    for query in ("RETURN min(n.v), max(n.v)", "WHERE n.v < -1 RETURN n.v", "RETURN n.v ORDER BY n.v"):
        rows = run(f"MATCH (n:t{i}) {query}").get_all()
        print(f"  {query}:", *(value for row in rows for value in row))
PY
expected='-2.5, 1, 7
  RETURN min(n.v), max(n.v): -2.5 7.0
  WHERE n.v < -1 RETURN n.v: -2.5
  RETURN n.v ORDER BY n.v: -2.5 1.0 7.0
-2.5, nan, 7
  RETURN min(n.v), max(n.v): 7.0 7.0
  WHERE n.v < -1 RETURN n.v: -2.5 nan
  RETURN n.v ORDER BY n.v: -2.5 7.0 nan
nan, -2.5, 7
  RETURN min(n.v), max(n.v): -2.5 nan
  WHERE n.v < -1 RETURN n.v: nan -2.5
  RETURN n.v ORDER BY n.v: -2.5 7.0 nan
7, -2.5, nan
  RETURN min(n.v), max(n.v): nan 7.0
  WHERE n.v < -1 RETURN n.v: -2.5 nan
  RETURN n.v ORDER BY n.v: -2.5 7.0 nan
1, -0.0, -2.5, -0.001
  RETURN min(n.v), max(n.v): -2.5 1.0
  WHERE n.v < -1 RETURN n.v: -2.5
  RETURN n.v ORDER BY n.v: -0.0 -2.5 -0.001 1.0
1, 0.0, -2.5, -0.001
  RETURN min(n.v), max(n.v): -2.5 1.0
  WHERE n.v < -1 RETURN n.v: -2.5
  RETURN n.v ORDER BY n.v: -2.5 -0.001 0.0 1.0'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
