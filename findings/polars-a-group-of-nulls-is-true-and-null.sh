#!/usr/bin/env bash
# polars 2.1.0: for a group of nulls, bitwise_and() is true by df.group_by, and null by df.lazy().group_by.
#
# An eager query and the same query made lazy and collected have one result. Of a column of truth values, the
# eager group_by folds a group without any value from the start value of its operation: true for and, false
# for or and xor. collect() of the lazy query, by its streaming engine, has null, as both have for integers and
# for a select without groups. So whether a filter keeps the group depends on how the query was started.
#
# Guess before the run: null each time, or the start value each time.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'polars==2.1.0'
cat >"$work/run.py" <<'PY'
import polars

rows = polars.DataFrame({"g": [1, 1, 2], "b": [True, None, None], "v": [5, None, None]})
for column in ("b", "v"):
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        value = getattr(polars.col(column), name)()
        lazy = rows.lazy().group_by("g").agg(value).sort("g")
        results = {
            "eager": rows.group_by("g").agg(value).sort("g"),
            "lazy": lazy.collect(),
            "lazy, in-memory": lazy.collect(engine="in-memory"),
        }
        shown = [f"{way} {result[column].to_list()}" for way, result in results.items()]
        print(f"{name} of {column}: {'; '.join(shown)}; without groups {rows.filter(g=2).select(value)[column].to_list()}")
kept = polars.col("b").bitwise_and()
print("groups kept:", rows.group_by("g").agg(kept).filter("b").height, rows.lazy().group_by("g").agg(kept).filter("b").collect().height)
PY
expected='bitwise_and of b: eager [True, True]; lazy [True, None]; lazy, in-memory [True, True]; without groups [None]
bitwise_or of b: eager [True, False]; lazy [True, None]; lazy, in-memory [True, False]; without groups [None]
bitwise_xor of b: eager [True, False]; lazy [True, None]; lazy, in-memory [True, False]; without groups [None]
bitwise_and of v: eager [5, None]; lazy [5, None]; lazy, in-memory [5, None]; without groups [None]
bitwise_or of v: eager [5, None]; lazy [5, None]; lazy, in-memory [5, None]; without groups [None]
bitwise_xor of v: eager [5, None]; lazy [5, None]; lazy, in-memory [5, None]; without groups [None]
groups kept: 2 1'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
