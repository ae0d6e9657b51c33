#!/usr/bin/env bash
# mongomock 4.3.0: $group of no documents gives a group, and 1 and true are one, or two.
#
# In MongoDB a pipeline over no documents has no result: $group and $count give no document, so code that reads
# the first one must look whether it is there. mongomock has one with 0, and tests of such code pass. MongoDB
# compares a truth value with a number as two types, while mongomock takes Python's True for 1 in filters and in
# $addToSet, which keeps the first of both. Groups are made of neighbours in the order of their types: 1 and
# true are one group if nothing is between them, and two if a false is. $addToSet adds null for a missing field,
# which MongoDB leaves out.
#
# Guess before the run: as the reference of MongoDB has it: no document, and two groups.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'mongomock==4.3.0'
cat >"$work/run.py" <<'PY'
import mongomock

database = mongomock.MongoClient().finding
database.empty.insert_one({"_id": 0})
database.empty.delete_many({})
database.t.insert_many([{"_id": 0, "v": True}, {"_id": 1, "v": 1}, {"_id": 2, "v": 0}, {"_id": 3, "v": False}, {"_id": 4}])
COUNT = {"$group": {"_id": None, "n": {"$sum": 1}, "largest": {"$max": "$v"}}}
print("group of nothing:", list(database.empty.aggregate([COUNT])))
print("group after a filter:", list(database.t.aggregate([{"$match": {"v": 9}}, COUNT])))
print("count of nothing:", list(database.empty.aggregate([{"$count": "n"}])))
GROUP = {"$group": {"_id": "$v", "n": {"$sum": 1}}}
print("by v:", list(database.t.aggregate([GROUP])))
print("by v, of true and 1:", list(database.t.aggregate([{"$match": {"_id": {"$lt": 2}}}, GROUP])))
for value in (1, True, 0, False):
    print(f"v: {value} finds", [row["_id"] for row in database.t.find({"v": value})])
values = {"$group": {"_id": None, "all": {"$addToSet": "$v"}}}
print("set:", next(iter(database.t.aggregate([values])))["all"])
PY
expected='group of nothing: [{'\''n'\'': 0, '\''largest'\'': None, '\''_id'\'': None}]
group after a filter: [{'\''n'\'': 0, '\''largest'\'': None, '\''_id'\'': None}]
count of nothing: [{'\''n'\'': 0}]
by v: [{'\''n'\'': 1, '\''_id'\'': None}, {'\''n'\'': 1, '\''_id'\'': 0}, {'\''n'\'': 1, '\''_id'\'': 1}, {'\''n'\'': 1, '\''_id'\'': False}, {'\''n'\'': 1, '\''_id'\'': True}]
by v, of true and 1: [{'\''n'\'': 2, '\''_id'\'': 1}]
v: 1 finds [0, 1]
v: True finds [0, 1]
v: 0 finds [2, 3]
v: False finds [2, 3]
set: [True, None]'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
