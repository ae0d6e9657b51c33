#!/usr/bin/env bash
# pg8000 1.31.6: a timestamp of a year BC comes back as the same year AD.
#
# PostgreSQL writes such a time as '0044-03-15 12:00:00 BC'. pg8000 hands the texts that its own
# format does not fit to a lenient parser, which takes BC for the name of a time zone that it does
# not know, warns, and drops it. The date is 87 years off, and where rows are sorted or compared by
# it, in the wrong order. psycopg 3.3.9 raises an error for the same value, and pg8000 returns a
# date BC as text.
#
# Guess before the run: Python has no years BC, so an error, or the text.
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

server = pgserver.get_server(sys.argv[1], cleanup_mode="stop")
here = pg8000.dbapi.connect("postgres", unix_sock=f"{sys.argv[1]}/.s.PGSQL.5432")
there = psycopg.connect(server.get_uri(), autocommit=True)
for type in ("timestamp", "date"):
    for year in ("0044-03-15 12:00:00 BC", "0044-03-15 12:00:00"):
        text = f"SELECT '{year}'::{type} AS v"
        cursor = here.cursor()
        cursor.execute(text)
        found = cursor.fetchone()[0]
        try:
            other = str(there.execute(text).fetchone()[0])
        except psycopg.DataError:
            other = "an error"
        print(f"{year} as {type}: pg8000 {found!r}, psycopg {other}")
here.close()
there.close()
PY
expected="0044-03-15 12:00:00 BC as timestamp: pg8000 datetime.datetime(44, 3, 15, 12, 0), psycopg an error
0044-03-15 12:00:00 as timestamp: pg8000 datetime.datetime(44, 3, 15, 12, 0), psycopg 0044-03-15 12:00:00
0044-03-15 12:00:00 BC as date: pg8000 '0044-03-15 BC', psycopg an error
0044-03-15 12:00:00 as date: pg8000 datetime.date(44, 3, 15), psycopg 0044-03-15"
seen=$("$work/venv/bin/python" "$work/run.py" "$work/data" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
