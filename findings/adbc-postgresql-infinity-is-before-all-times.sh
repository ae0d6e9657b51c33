#!/usr/bin/env bash
# adbc-driver-postgresql 1.13.0: 'infinity' of PostgreSQL arrives in Arrow before '-infinity'.
#
# PostgreSQL counts from 2000 and keeps infinity as the largest number; Arrow counts from 1970. The
# driver adds the 30 years without a check, and the sum wraps: a timestamp or date of infinity
# becomes the smallest of all, a year of 292 thousand BC, one below that of '-infinity'. No error is
# raised. A row with "valid to infinity", a common way to say "still valid", ended before it began.
# The driver does check ordinary timestamps that are too large for nanoseconds, and intervals.
#
# Guess before the run: the largest time that the type has, or an error.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" # the server runs as another user if this is run by root
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'adbc-driver-postgresql==1.13.0' 'adbc-driver-manager==1.13.0' 'pyarrow==26.0.1' 'pgserver==0.1.4'
cat >"$work/run.py" <<'PY'
import sys

import adbc_driver_postgresql.dbapi
import pgserver
import pyarrow as pa
import pyarrow.compute as pc

server = pgserver.get_server(f"{sys.argv[1]}/data", cleanup_mode="stop")
with adbc_driver_postgresql.dbapi.connect(server.get_uri()) as connection:
    for type in ("timestamp", "timestamptz", "date"):
        rows = f"(VALUES ('infinity'::{type}), ('-infinity'), ('2024-01-02')) AS rows (v)"
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT v, v > '2024-01-01' AS later FROM {rows}")
            table = cursor.fetch_arrow_table()
        v = table["v"]
        limit = pa.scalar("2024-01-01").cast(v.type if type == "date" else pa.timestamp("us"))
        later = pc.greater(v, limit.cast(v.type)).to_pylist()
        print(f"{type}: later in PostgreSQL {table['later'].to_pylist()}, in Arrow {later}")
        number = pa.int32() if type == "date" else pa.int64()
        print("  numbers:", v.cast(number).to_pylist()[:2])
PY
expected='timestamp: later in PostgreSQL [True, False, True], in Arrow [False, False, True]
  numbers: [-9222425352054775809, -9222425352054775808]
timestamptz: later in PostgreSQL [True, False, True], in Arrow [False, False, True]
  numbers: [-9222425352054775809, -9222425352054775808]
date: later in PostgreSQL [True, False, True], in Arrow [False, False, True]
  numbers: [-2147472692, -2147472691]'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
