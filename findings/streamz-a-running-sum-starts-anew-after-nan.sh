#!/usr/bin/env bash
# streamz 0.6.6: after a batch that ends with NaN, cumsum() and cummin() forget all that came before.
#
# streamz runs pandas' cumulative functions over batches, as if they were one table: it puts the
# last result before the next batch. pandas skips NaN, and has NaN as the result in its row; if
# that row is the last of a batch, NaN is all that the next batch gets, and sums, products, minima
# and maxima start anew. With the same rows cut elsewhere they go on. In a window a value that has
# left stays in the sum if it was infinite, or large.
#
# Guess before the run: batches are a matter of speed.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'streamz==0.6.6' 'pandas==3.1.1' 'numpy==2.4.6'
cat >"$work/run.py" <<'PY'
import math

import pandas as pd
from streamz import Stream
from streamz.dataframe import DataFrame


def streamed(ask, *batches):
    source = Stream()
    results = ask(DataFrame(source, example=pd.DataFrame({"v": [1.0]}))).stream.sink_to_list()
    for batch in batches:
        source.emit(pd.DataFrame({"v": batch}))
    last = results[-1]
    return float(last.iloc[-1] if hasattr(last, "iloc") else last)


for name in ("cumsum", "cumprod", "cummin", "cummax"):
    whole = [3.0, 2.0, math.nan, 4.0, 5.0]
    print(f"{name} of 3, 2, nan, 4, 5: pandas", float(getattr(pd.Series(whole), name)().iloc[-1]), end="")
    for cut in (2, 3, 4):
        got = streamed(lambda rows: getattr(rows.v, name)(), whole[:cut], whole[cut:])
        print(f", streamz in batches of {cut} and {5 - cut} {got}", end="")
    print()
for first in (7.0, math.inf, 1e20):
    whole = [first, 1.0, 2.0, 3.0]
    got = streamed(lambda rows: rows.window(n=2).v.sum(), whole[:2], whole[2:])
    print(f"sum of the last two of {whole}: pandas {sum(whole[-2:])}, streamz {got}")
PY
expected='cumsum of 3, 2, nan, 4, 5: pandas 14.0, streamz in batches of 2 and 3 14.0, streamz in batches of 3 and 2 9.0, streamz in batches of 4 and 1 14.0
cumprod of 3, 2, nan, 4, 5: pandas 120.0, streamz in batches of 2 and 3 120.0, streamz in batches of 3 and 2 20.0, streamz in batches of 4 and 1 120.0
cummin of 3, 2, nan, 4, 5: pandas 2.0, streamz in batches of 2 and 3 2.0, streamz in batches of 3 and 2 4.0, streamz in batches of 4 and 1 2.0
cummax of 3, 2, nan, 4, 5: pandas 5.0, streamz in batches of 2 and 3 5.0, streamz in batches of 3 and 2 5.0, streamz in batches of 4 and 1 5.0
sum of the last two of [7.0, 1.0, 2.0, 3.0]: pandas 5.0, streamz 5.0
sum of the last two of [inf, 1.0, 2.0, 3.0]: pandas 5.0, streamz nan
sum of the last two of [1e+20, 1.0, 2.0, 3.0]: pandas 5.0, streamz 0.0'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
