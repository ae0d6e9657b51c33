#!/usr/bin/env bash
# Apache Beam 2.77.0: drop_duplicates() of a deferred DataFrame drops the rows without a key as well.
#
# pandas takes null for a key like any other: of two rows without k one stays, and a single one stays
# in any case. Beam has the same method for a DataFrame that a pipeline computes, with keep="any" or
# keep=False. It groups by the columns and leaves the group of null out, so each row without k is gone,
# be it a duplicate or not. A column alone loses its null the same way. The documentation names the
# values of keep as the only difference.
#
# Guess before the run: the rows of pandas, in any order.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: 'apache-beam==2.77.0' 'pandas==2.3.3'
cat >"$work/run.py" <<'PY'
import logging
import typing

import apache_beam as beam
import pandas as pd
from apache_beam.dataframe.convert import to_dataframe, to_pcollection

logging.disable(logging.CRITICAL)


class Row(typing.NamedTuple):
    id: int
    k: typing.Optional[str]


ROWS = [Row(1, None), Row(2, "a"), Row(3, "b"), Row(4, "b")]


def compute(folder, method):
    with beam.Pipeline() as pipeline:
        rows = pipeline | beam.Create(ROWS).with_output_types(Row)
        result = to_pcollection(method(to_dataframe(rows)), include_indexes=False)
        texts = result | beam.Map(lambda row: " ".join(str(value) for value in row) if isinstance(row, tuple) else str(row))
        texts | beam.io.WriteToText(folder + "/out", shard_name_template="")
    return ", ".join(sorted(open(folder + "/out").read().split("\n"))[1:])


def main(folder):
    table = pd.DataFrame(ROWS)
    print("pandas, k, keep=False:", table.drop_duplicates(["k"], keep=False).id.tolist())
    for name, method in (
        ("k, keep=False", lambda frame: frame.drop_duplicates(["k"], keep=False)),
        ("k, keep=any", lambda frame: frame.drop_duplicates(["k"], keep="any")[["k"]]),
        ("column k, keep=False", lambda frame: frame.k.drop_duplicates(keep=False)),
        ("all rows", lambda frame: frame),
    ):
        print(f"Beam, {name}: {compute(folder, method)}")


if __name__ == "__main__":
    import sys

    main(sys.path[0])
PY
expected='pandas, k, keep=False: [1, 2]
Beam, k, keep=False: 2 a
Beam, k, keep=any: a, b
Beam, column k, keep=False: a
Beam, all rows: 1 None, 2 a, 3 b, 4 b'
seen=$(cd "$work" && "$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
