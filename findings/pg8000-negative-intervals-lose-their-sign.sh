#!/usr/bin/env bash
# pg8000 1.31.6: an interval of minus 1.5 seconds comes back as plus 1.5 seconds.
#
# PostgreSQL writes it as -00:00:01.5. pg8000 reads the sign with the hours, as the number -0, which
# is 0, and takes minutes and seconds for positive then. So every negative interval of less than an
# hour turns round, also beside days and months. From an hour on the sign is kept. Sums of such
# differences of two times, latencies say, are too large, and nothing is raised. psycopg 3.3.9 reads
# the same text right.
#
# Guess before the run: the sign is read once for the whole time.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" # the server runs as another user if this is run by root
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pg8000==1.31.6' 'psycopg[binary]==3.3.9' 'pgserver==0.1.4'
cat >"$work/run.py" <<'PY'
import sys

import pg8000.dbapi
import pgserver
import psycopg

server = pgserver.get_server(f"{sys.argv[1]}/data", cleanup_mode="stop")
here = pg8000.dbapi.connect("postgres", unix_sock=f"{sys.argv[1]}/data/.s.PGSQL.5432")
there = psycopg.connect(server.get_uri(), autocommit=True)
for value in (
    "interval '-1.5 seconds'",
    "interval '-59 minutes'",
    "interval '-60 minutes'",
    "interval '1 day -1 second'",
    "timestamp '2024-01-01 12:00:00' - timestamp '2024-01-01 12:00:30'",
):
    cursor = here.cursor()
    cursor.execute(f"SELECT {value}")
    seconds = cursor.fetchone()[0].total_seconds()
    other = there.execute(f"SELECT {value}").fetchone()[0].total_seconds()
    print(f"{value}: pg8000 {seconds}, psycopg {other} seconds")
here.close()
there.close()
PY
expected="interval '-1.5 seconds': pg8000 1.5, psycopg -1.5 seconds
interval '-59 minutes': pg8000 3540.0, psycopg -3540.0 seconds
interval '-60 minutes': pg8000 -3600.0, psycopg -3600.0 seconds
interval '1 day -1 second': pg8000 86401.0, psycopg 86399.0 seconds
timestamp '2024-01-01 12:00:00' - timestamp '2024-01-01 12:00:30': pg8000 30.0, psycopg -30.0 seconds"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
