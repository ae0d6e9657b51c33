#!/usr/bin/env bash
# mysql-replication 1.0.17: its request for MariaDB's binlog is one byte longer than it says.
#
# The request has the command, a position, flags, the replica's number and an empty file name. Its
# header counts all but the command, so one byte more than it announces goes to the server, which
# never reads it. A server that closes a socket with bytes that nobody has read resets the
# connection, and what is still under way is lost: with `blocking=False`, which ends at the binlog's
# end, a reader of transactions of some 100 kB got "Connection reset by peer" from MariaDB 10.11.
# The request to MySQL has the right length.
#
# Guess before the run: both requests are as long as their headers say.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'mysql-replication==1.0.17' 'PyMySQL==1.1.2'
cat >"$work/run.py" <<'PY'
from pymysqlreplication import BinLogStreamReader


class Sent(Exception):
    pass


class Cursor:
    def execute(self, *_):
        pass

    def fetchone(self):
        return None

    def close(self):
        pass


class Connection:
    """Takes the request in the place of a server."""

    def cursor(self, *_):
        return Cursor()

    def _write_bytes(self, data):
        raise Sent(data)


for name, more in (
    ("MariaDB", {"is_mariadb": True, "auto_position": "0-1-1"}),
    ("MySQL", {"log_file": "binlog.000001", "log_pos": 4, "resume_stream": True}),
):
    stream = BinLogStreamReader({}, 7, pymysql_wrapper=lambda **_: Connection(), enable_logging=False, **more)
    try:
        stream.fetchone()
    except Sent as e:
        (data,) = e.args
        said = int.from_bytes(data[:3], "little")
        print(f"{name}: the header says {said} bytes, {len(data) - 4} follow")
PY
expected='MariaDB: the header says 14 bytes, 15 follow
MySQL: the header says 24 bytes, 24 follow'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
