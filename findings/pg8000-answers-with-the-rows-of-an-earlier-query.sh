#!/usr/bin/env bash
# pg8000 1.31.6: after a value that it can not convert, a query gets the rows of an earlier one.
#
# PostgreSQL's time 24:00:00 is none of Python's, so pg8000 raises ValueError, in the middle of the
# answer. The rest of the answer stays in the connection, and the connection stays open: `SELECT 1`
# fails, `SELECT 2` returns 1, `SELECT 3` returns 2, and so on. A program that catches the error,
# and goes on, or a pool that hands the connection on, reads other rows than it asked for. psycopg
# 3.3.9 raises an error, and answers the next query.
#
# Guess before the run: the connection is in step again, or closed.
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
there = psycopg.connect(server.get_uri())
for name, connection in (("pg8000", here), ("psycopg", there)):
    connection.autocommit = True
    for value in ("time '24:00:00'", 1, 2, 3, 4):
        cursor = connection.cursor()
        try:
            cursor.execute(f"SELECT {value}")
            found = [row[0] for row in cursor.fetchall()]
        except Exception as error:
            found = type(error).__name__
        print(f"{name}: SELECT {value} gives {found}")
    connection.close()
PY
expected="pg8000: SELECT time '24:00:00' gives ValueError
pg8000: SELECT 1 gives ProgrammingError
pg8000: SELECT 2 gives [1]
pg8000: SELECT 3 gives [2]
pg8000: SELECT 4 gives [3]
psycopg: SELECT time '24:00:00' gives DataError
psycopg: SELECT 1 gives [1]
psycopg: SELECT 2 gives [2]
psycopg: SELECT 3 gives [3]
psycopg: SELECT 4 gives [4]"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
