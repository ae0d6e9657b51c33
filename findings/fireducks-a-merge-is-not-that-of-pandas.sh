#!/usr/bin/env bash
# fireducks 1.4.4: `df.merge` matches neither null with null, nor -0.0 with 0.0.
#
# FireDucks runs programs of pandas unchanged, compiled. pandas documents that rows whose keys are
# null match each other, and its -0.0 equals 0.0. In FireDucks null matches nothing, as in SQL, and
# zeros match by their sign. nunique() counts both zeros, where `==` takes them for equal, unique() has
# one, and groupby one group.
#
# Guess before the run: the results of pandas.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'fireducks==1.4.4' 'pandas==2.3.3'
cat >"$work/run.py" <<'PY'
import fireducks.pandas
import pandas

QUERIES = {
    "merge by text": lambda a, b: a.merge(b, on="k")["row"].tolist(),
    "merge by number": lambda a, b: a.merge(b, on="x")["row"].tolist(),
    "== 0": lambda a, b: a[a["x"] == 0]["row"].tolist(),
    "nunique": lambda a, b: int(a["x"].nunique()),
    "unique": lambda a, b: len(a["x"].dropna().unique()),
    "groups": lambda a, b: len(a.groupby("x").size()),
}
for name, query in QUERIES.items():
    results = []
    for pd in (pandas, fireducks.pandas):
        a = pd.DataFrame({"row": [1, 2, 3, 4], "k": ["q", None, "x", "x"], "x": [0.0, None, -0.0, 2.0]})
        b = pd.DataFrame({"k": ["x", None], "x": [-0.0, None]})
        results.append(query(a, b))
    print(f"{name}: pandas {results[0]}, fireducks {results[1]}")
PY
expected='merge by text: pandas [2, 3, 4], fireducks [3, 4]
merge by number: pandas [1, 2, 3], fireducks [3]
== 0: pandas [1, 3], fireducks [1, 3]
nunique: pandas 2, fireducks 3
unique: pandas 2, fireducks 2
groups: pandas 2, fireducks 2'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
