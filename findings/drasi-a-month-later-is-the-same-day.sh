#!/usr/bin/env bash
# drasi-lib 0.3.0: date('2024-01-31') + duration('P1M') is 2024-01-31, and so is + duration('P1Y').
#
# A duration of Cypher has months, days and seconds; a month after 31 January 2024 is 29 February.
# drasi reads years and months of a duration, `.months` gives them back, and comparisons of two
# durations know them. Where a duration is added to a date or a time, or subtracted, they are left out:
# P1Y2M3D adds three days. So a condition like "due a month after the last change" is true at once.
# Its documentation has + and - of temporal values among what it takes of Cypher.
#
# Guess before the run: 2024-02-29 and 2025-01-31.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'drasi-lib==0.3.0'
cat >"$work/run.py" <<'PY'
import time

from drasi.sync import Drasi

EXPRESSIONS = (
    "date(t.d) + duration('P1M')",
    "date(t.d) + duration({months: 1})",
    "date(t.d) - duration('P1Y')",
    "date(t.d) + duration('P1Y2M3D')",
    "datetime('2024-01-31T08:00:00Z') + duration('P1M')",
    "date('2024-02-01') > date(t.d) + duration('P1M')",
    "duration('P1M').months",
    "duration('P1Y2M').years",
    "duration('P1M') > duration('P1D')",
)
with Drasi.create("durations") as drasi:
    drasi.start()
    drasi.add_python_source("rows")
    for number, expression in enumerate(EXPRESSIONS):
        drasi.add_query(f"q{number}", f"MATCH (t:T) RETURN {expression} AS r", ["rows"])
        drasi.wait_for_query(f"q{number}")
    row = {"d": "2024-01-31"}
    drasi.push_change("rows", {"op": "insert", "id": "a", "labels": ["T"], "properties": row})
    for number, expression in enumerate(EXPRESSIONS):
        for _ in range(600):
            if found := drasi.get_query_results(f"q{number}"):
                break
            time.sleep(0.05)
        print(f"{expression}: {found[0]['r']}")
PY
expected="date(t.d) + duration('P1M'): 2024-01-31
date(t.d) + duration({months: 1}): 2024-01-31
date(t.d) - duration('P1Y'): 2024-01-31
date(t.d) + duration('P1Y2M3D'): 2024-02-03
datetime('2024-01-31T08:00:00Z') + duration('P1M'): 2024-01-31T08:00:00+00:00
date('2024-02-01') > date(t.d) + duration('P1M'): True
duration('P1M').months: 1
duration('P1Y2M').years: 1
duration('P1M') > duration('P1D'): True"
seen=$(RUST_LOG=off "$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
