#!/usr/bin/env bash
# streamz 0.6.6: rolling(3, min_periods=1).sum() of 1, 2, 3, 4 is NaN, NaN, 6, 9; pandas has 1, 3, 6, 9.
#
# A streaming DataFrame has rolling() with the signature of pandas, where min_periods says how many values a window
# needs for a result. streamz takes the number, and its default is 1, and calls pandas without it: a window by rows
# needs all its rows, whatever the number is. So the first rows have no value, and one missing value takes three
# results away, at any place in the stream. With a window by time, whose default is 1 in pandas too, a higher
# number is not heeded either, and a window with one value has a result that was not asked for.
#
# Guess before the run: what pandas gives for all rows at once, in each case.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'streamz==0.6.6' 'pandas==3.1.1'
cat >"$work/run.py" <<'PY'
import inspect

import pandas as pd
from streamz import Stream
from streamz.dataframe import DataFrame


def streamed(batches, window, least):
    source = Stream()
    live = DataFrame(source, example=batches[0])
    results = live.v.rolling(window, min_periods=least).sum().stream.sink_to_list()
    for batch in batches:
        source.emit(batch)
    return pd.concat(results).tolist()


print("default:", inspect.signature(DataFrame.rolling).parameters["min_periods"].default)
for values in ([1.0, 2.0, 3.0, 4.0], [1.0, None, 3.0, 4.0, 5.0]):
    rows = pd.DataFrame({"v": values}, index=pd.date_range("2024-01-01", periods=len(values), freq="s"), dtype=float)
    batches = [rows.iloc[:2], rows.iloc[2:]]
    for window in (3, "3s"):
        for least in (1, 2, 3):
            pandas = rows.v.rolling(window, min_periods=least).sum().tolist()
            streamz = streamed(batches, window, least)
            print(f"sum of {values}, window {window}, min_periods {least}: pandas {pandas}, {'the same' if str(pandas) == str(streamz) else f'streamz {streamz}'}")
PY
expected='default: 1
sum of [1.0, 2.0, 3.0, 4.0], window 3, min_periods 1: pandas [1.0, 3.0, 6.0, 9.0], streamz [nan, nan, 6.0, 9.0]
sum of [1.0, 2.0, 3.0, 4.0], window 3, min_periods 2: pandas [nan, 3.0, 6.0, 9.0], streamz [nan, nan, 6.0, 9.0]
sum of [1.0, 2.0, 3.0, 4.0], window 3, min_periods 3: pandas [nan, nan, 6.0, 9.0], the same
sum of [1.0, 2.0, 3.0, 4.0], window 3s, min_periods 1: pandas [1.0, 3.0, 6.0, 9.0], the same
sum of [1.0, 2.0, 3.0, 4.0], window 3s, min_periods 2: pandas [nan, 3.0, 6.0, 9.0], streamz [1.0, 3.0, 6.0, 9.0]
sum of [1.0, 2.0, 3.0, 4.0], window 3s, min_periods 3: pandas [nan, nan, 6.0, 9.0], streamz [1.0, 3.0, 6.0, 9.0]
sum of [1.0, None, 3.0, 4.0, 5.0], window 3, min_periods 1: pandas [1.0, 1.0, 4.0, 7.0, 12.0], streamz [nan, nan, nan, nan, 12.0]
sum of [1.0, None, 3.0, 4.0, 5.0], window 3, min_periods 2: pandas [nan, nan, 4.0, 7.0, 12.0], streamz [nan, nan, nan, nan, 12.0]
sum of [1.0, None, 3.0, 4.0, 5.0], window 3, min_periods 3: pandas [nan, nan, nan, nan, 12.0], the same
sum of [1.0, None, 3.0, 4.0, 5.0], window 3s, min_periods 1: pandas [1.0, 1.0, 4.0, 7.0, 12.0], the same
sum of [1.0, None, 3.0, 4.0, 5.0], window 3s, min_periods 2: pandas [nan, nan, 4.0, 7.0, 12.0], streamz [1.0, 1.0, 4.0, 7.0, 12.0]
sum of [1.0, None, 3.0, 4.0, 5.0], window 3s, min_periods 3: pandas [nan, nan, nan, nan, 12.0], streamz [1.0, 1.0, 4.0, 7.0, 12.0]'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
