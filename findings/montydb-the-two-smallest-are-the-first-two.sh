#!/usr/bin/env bash
# montydb 2.5.6: $push with $sort and $slice of two keeps the first two of a list, not the two smallest.
#
# MongoDB adds the new values, sorts the list, and then cuts it to $slice values. So a list of the best scores is
# kept. montydb cuts first and sorts what is left: a better score is thrown away, and update_one counts no change.
# $addToSet adds a value twice that $each has twice, and does not add true beside the number 1. For $addToSet the
# order of a document's fields does not count, for a filter it does. A projection of $slice alone hides all other fields.
#
# Guess before the run: the order of MongoDB, because the package says that it is MongoDB for Python.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'montydb==2.5.6'
cat >"$work/run.py" <<'PY'
from montydb import MontyClient

rows = MontyClient(":memory:").db.rows


def update(before, change):
    rows.delete_many({})
    rows.insert_one({"_id": 1, "v": before})
    result = rows.update_one({"_id": 1}, change)
    print(f"{before} {change}: {rows.find_one({})['v']}, changed {result.modified_count}")


update([5, 9], {"$push": {"v": {"$each": [1, 7], "$sort": 1, "$slice": 2}}})
update([5, 9], {"$push": {"v": {"$each": [1, 7], "$sort": 1}}})
update([5, 9], {"$push": {"v": {"$each": [1, 7], "$slice": -2, "$sort": -1}}})
update([1], {"$addToSet": {"v": {"$each": [6, 6]}}})
update([1], {"$addToSet": {"v": True}})
update([{"a": 1, "b": 2}], {"$addToSet": {"v": {"b": 2, "a": 1}}})
print(f"equal to it: {rows.count_documents({'v': {'b': 2, 'a': 1}})} rows")
rows.insert_one({"_id": 2, "v": [1, 2, 3], "w": 4})
print(f"slice: {rows.find_one({'_id': 2}, {'v': {'$slice': 2}})}")
print(f"slice, and not _id: {rows.find_one({'_id': 2}, {'v': {'$slice': 2}, '_id': 0})}")
PY
expected="[5, 9] {'\$push': {'v': {'\$each': [1, 7], '\$sort': 1, '\$slice': 2}}}: [5, 9], changed 0
[5, 9] {'\$push': {'v': {'\$each': [1, 7], '\$sort': 1}}}: [1, 5, 7, 9], changed 1
[5, 9] {'\$push': {'v': {'\$each': [1, 7], '\$slice': -2, '\$sort': -1}}}: [7, 1], changed 1
[1] {'\$addToSet': {'v': {'\$each': [6, 6]}}}: [1, 6, 6], changed 1
[1] {'\$addToSet': {'v': True}}: [1], changed 0
[{'a': 1, 'b': 2}] {'\$addToSet': {'v': {'b': 2, 'a': 1}}}: [{'a': 1, 'b': 2}], changed 0
equal to it: 0 rows
slice: {'_id': 2, 'v': [1, 2]}
slice, and not _id: {'v': [1, 2]}"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
