#!/usr/bin/env bash
# temporian 0.9.0 with numpy 2.4.6: the running sum of 1, 2, 3, 4 is 10, 10, 10, 10.
#
# temporian computes its windows in C++ and hands the results over as arrays. Its wheel was built for numpy 1, asks
# for no version of numpy, and gets numpy 2, in which the records of array types have another layout: the step from
# one value to the next is read as 0. Each array that C++ made is its own last written value, as often as it is
# long: moving_sum, cumsum, moving_max, and resample, which looks events up in such an array. No error and no
# warning says so; lag() and filter(), which are made in Python, are right. With numpy 1.26.4 all are.
#
# Guess before the run: an error on import, or the same results with both.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for numpy in 2.4.6 1.26.4; do
  python3 -m venv "$work/$numpy"
done
"$work/2.4.6/bin/pip" install -q --disable-pip-version-check 'temporian==0.9.0' 'numpy==2.4.6' 'pandas==2.3.3'
"$work/1.26.4/bin/pip" install -q --disable-pip-version-check 'temporian==0.9.0' 'numpy==1.26.4' 'pandas==2.3.3'
cat >"$work/run.py" <<'PY'
import numpy
import temporian

events = temporian.event_set(timestamps=[1, 2, 3, 5], features={"f": [1.0, 2.0, 3.0, 4.0]})
results = {
    "cumsum": events.cumsum(),
    "moving_sum of 2": events.moving_sum(2),
    "moving_max of 2": events.moving_max(2),
    "moving_count of 2": events["f"].moving_count(2),
    "lag": events.lag(1),
    "filter above 2": events.filter(events["f"] > 2.0),
    "resampled at 1, 3, 9": events.resample(temporian.event_set(timestamps=[1, 3, 9])),
}
for name, result in results.items():
    column = result.get_arbitrary_index_data().features[0]
    print(f"numpy {numpy.__version__}, {name}: {', '.join(f'{value:g}' for value in column)}")
PY
expected='numpy 2.4.6, cumsum: 10, 10, 10, 10
numpy 2.4.6, moving_sum of 2: 4, 4, 4, 4
numpy 2.4.6, moving_max of 2: 4, 4, 4, 4
numpy 2.4.6, moving_count of 2: 1, 1, 1, 1
numpy 2.4.6, lag: 1, 2, 3, 4
numpy 2.4.6, filter above 2: 3, 4
numpy 2.4.6, resampled at 1, 3, 9: 4, 4, 4
numpy 1.26.4, cumsum: 1, 3, 6, 10
numpy 1.26.4, moving_sum of 2: 1, 3, 5, 4
numpy 1.26.4, moving_max of 2: 1, 2, 3, 4
numpy 1.26.4, moving_count of 2: 1, 2, 2, 1
numpy 1.26.4, lag: 1, 2, 3, 4
numpy 1.26.4, filter above 2: 3, 4
numpy 1.26.4, resampled at 1, 3, 9: 1, 3, 4'
seen=$(for numpy in 2.4.6 1.26.4; do "$work/$numpy/bin/python" "$work/run.py"; done 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
