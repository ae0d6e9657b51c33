#!/usr/bin/env bash
# asyncpg 0.32.0: the date 9999-12-31 is written as 'infinity', and 0001-01-01 as '-infinity'.
#
# Rows that are still valid often get 9999-12-31 as their end. asyncpg takes the last date of Python
# for PostgreSQL's infinity, and the first for minus infinity, in parameters and in results;
# timestamps likewise, where the first of year 1 is one that people write. The row then is not found
# by `= '9999-12-31'`, and is later than year 10000. A row with that date, written by others, is not
# found by the date that asyncpg itself read from it. psycopg 3.3.9 writes the date, and finds it.
#
# Guess before the run: a date that both sides have is the same on both.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" # the server runs as another user if this is run by root
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'asyncpg==0.32.0' 'psycopg[binary]==3.3.9' 'pgserver==0.1.4'
cat >"$work/run.py" <<'PY'
import asyncio
import sys
from datetime import date, datetime

import asyncpg
import pgserver
import psycopg

server = pgserver.get_server(f"{sys.argv[1]}/data", cleanup_mode="stop")
values = (
    ("date", date(9999, 12, 30)),
    ("date", date(9999, 12, 31)),
    ("date", date(1, 1, 1)),
    ("timestamp", datetime(9999, 12, 31)),
    ("timestamp", datetime(1, 1, 1)),
)


async def by_asyncpg(text, *values):
    connection = await asyncpg.connect(server.get_uri())
    try:
        return (await connection.fetch(text, *values))[0][0]
    finally:
        await connection.close()


with psycopg.connect(server.get_uri(), autocommit=True) as connection:
    for type, value in values:
        here = asyncio.run(by_asyncpg(f"SELECT $1::{type}::text", value))
        there = connection.execute(f"SELECT %s::{type}::text", [value]).fetchone()[0]
        print(f"{type} {value} arrives as: asyncpg {here}, psycopg {there}")
    connection.execute("CREATE TABLE t AS SELECT DATE '9999-12-31' AS until")
    read = asyncio.run(by_asyncpg("SELECT until FROM t"))
    print("read from a table:", read)
    here = asyncio.run(by_asyncpg("SELECT count(*) FROM t WHERE until = $1", read))
    there = connection.execute("SELECT count(*) FROM t WHERE until = %s", [read]).fetchone()[0]
    print(f"rows with what was read: asyncpg {here}, psycopg {there}")
PY
expected="date 9999-12-30 arrives as: asyncpg 9999-12-30, psycopg 9999-12-30
date 9999-12-31 arrives as: asyncpg infinity, psycopg 9999-12-31
date 0001-01-01 arrives as: asyncpg -infinity, psycopg 0001-01-01
timestamp 9999-12-31 00:00:00 arrives as: asyncpg 9999-12-31 00:00:00, psycopg 9999-12-31 00:00:00
timestamp 0001-01-01 00:00:00 arrives as: asyncpg -infinity, psycopg 0001-01-01 00:00:00
read from a table: 9999-12-31
rows with what was read: asyncpg 0, psycopg 1"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
