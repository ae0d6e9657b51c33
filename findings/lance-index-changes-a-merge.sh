#!/usr/bin/env bash
# pylance 14.0.2: with an index on the key, a merge drops new rows whose key is null.
#
# `merge_insert("k").when_not_matched_insert_all()` inserts a row whose key matches no row. A null
# matches nothing, so the row goes in. After `create_scalar_index("k", "BTREE")` the same merge
# leaves that row out, and counts one insert less. No error is raised. A merge by two columns uses
# no index, and inserts it again. Also, -0.0 and 0.0 are equal for a filter, and no match for a
# merge.
#
# Guess before the run: an index makes a merge faster, and nothing else.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pylance==14.0.2' 'pyarrow==25.0.1'
cat >"$work/run.py" <<'PY'
import sys

import lance
import pyarrow as pa

old = pa.table({"k": [0.0, 1.0], "j": [1, 1], "v": ["old", "old"]})
new = pa.table({"k": [-0.0, None], "j": [1, 1], "v": ["new", "new"]})
for kind in ("none", "BTREE"):
    for keys in (["k"], ["k", "j"]):
        dataset = lance.write_dataset(old, f"{sys.argv[1]}/{kind}{len(keys)}")
        if kind != "none":
            dataset.create_scalar_index("k", kind)
        merge = dataset.merge_insert(keys).when_matched_update_all().when_not_matched_insert_all()
        inserted = merge.execute(new)["num_inserted_rows"]
        after = sorted((str(row["k"]), row["v"]) for row in dataset.to_table().to_pylist())
        print(f"index {kind}, by {keys}: {inserted} inserted, {after}")
        print(f"  rows with k = 0: {dataset.count_rows('k = 0')}")
PY
expected="index none, by ['k']: 2 inserted, [('-0.0', 'new'), ('0.0', 'old'), ('1.0', 'old'), ('None', 'new')]
  rows with k = 0: 2
index none, by ['k', 'j']: 2 inserted, [('-0.0', 'new'), ('0.0', 'old'), ('1.0', 'old'), ('None', 'new')]
  rows with k = 0: 2
index BTREE, by ['k']: 1 inserted, [('-0.0', 'new'), ('0.0', 'old'), ('1.0', 'old')]
  rows with k = 0: 2
index BTREE, by ['k', 'j']: 2 inserted, [('-0.0', 'new'), ('0.0', 'old'), ('1.0', 'old'), ('None', 'new')]
  rows with k = 0: 2"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
