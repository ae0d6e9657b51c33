#!/usr/bin/env bash
# mongomock 4.3.0: the numbers 3, NaN, 2, 1 are sorted as 3, NaN, 1, 2, and no filter finds the NaN.
#
# MongoDB sorts NaN before all numbers, and v: NaN finds it, for there NaN is equal to itself. mongomock compares
# as Python does, where NaN is neither less nor equal: a sort does not pass a NaN, so the values on its two sides
# are sorted by themselves, and the first two by limit() are not the smallest two. $min and $max depend on
# where the NaN stands, and two of them are two groups, which MongoDB has as one.
#
# Guess before the run: NaN, 1, 2, 3, and the NaN found.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'mongomock==4.3.0'
cat >"$work/run.py" <<'PY'
import mongomock

NAN = float("nan")


def made(*values):
    collection = mongomock.MongoClient().finding.t
    collection.insert_many([{"_id": row, "v": value} for row, value in enumerate(values)])
    return collection


def shown(rows):
    return ", ".join(f"{row['v']:g}" for row in rows)


t = made(3.0, NAN, 2.0, 1.0)
print("sorted:", shown(t.find().sort("v", 1)))
print("in a pipeline:", shown(t.aggregate([{"$sort": {"v": 1}}])))
print("the first two:", shown(t.find().sort("v", 1).limit(2)))
print("sorted down:", shown(t.find().sort("v", -1)))
for condition in ({"v": NAN}, {"v": {"$in": [float("nan")]}}, {"v": {"$lte": NAN}}, {"v": {"$ne": NAN}}):
    print(condition, "finds:", shown(t.find(condition)))
extremes = [{"$group": {"_id": None, "low": {"$min": "$v"}, "high": {"$max": "$v"}}}]
for values in ((NAN, 1.0, 2.0), (1.0, NAN, 2.0), (2.0, NAN, 1.0)):
    row = next(iter(made(*values).aggregate(extremes)))
    print(f"extremes of {values}: {row['low']:g}, {row['high']:g}")
groups = made(float("nan"), float("nan"), 1.0).aggregate([{"$group": {"_id": "$v", "n": {"$sum": 1}}}])
print("groups:", sorted((f"{row['_id']:g}", row["n"]) for row in groups))
PY
expected='sorted: 3, nan, 1, 2
in a pipeline: 3, nan, 1, 2
the first two: 3, nan
sorted down: 3, nan, 2, 1
{'\''v'\'': nan} finds: 
{'\''v'\'': {'\''$in'\'': [nan]}} finds: 
{'\''v'\'': {'\''$lte'\'': nan}} finds: 
{'\''v'\'': {'\''$ne'\'': nan}} finds: 3, nan, 2, 1
extremes of (nan, 1.0, 2.0): nan, nan
extremes of (1.0, nan, 2.0): 1, 2
extremes of (2.0, nan, 1.0): 1, 2
groups: [('\''1'\'', 1), ('\''nan'\'', 1), ('\''nan'\'', 1)]'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
