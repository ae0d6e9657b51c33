#!/usr/bin/env bash
# laminardb 0.17.0: with WATERMARK FOR ts AS ts - 60000 rows are dropped that are two seconds late.
#
# The times of a source are numbers of milliseconds, and so are the sizes of windows. A bound for late rows as a
# number is taken, and does not count: with 0, 5000 and 60000, rows more than a second older than the newest are
# dropped, in any query of the source, without a word. The rows of one insert count among each other, so of five
# seconds in one insert two rows are left. With INTERVAL '60' SECOND all are there.
#
# Guess before the run: five rows, because none is a minute late.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'laminardb==0.17.0' 'pyarrow==26.0.1'
cat >"$work/run.py" <<'PY'
import laminardb

SOURCE = "CREATE SOURCE t (ts BIGINT, k VARCHAR, v DOUBLE{})"


def run(text, batches, more=""):
    print(text)
    with laminardb.open(":memory:") as db:
        db.execute(SOURCE.format(more))
        db.execute(f"CREATE STREAM s AS {text}")
        db.start()
        rows = db.subscribe_stream("s")
        for batch in batches:
            db.insert("t", [dict(zip(("ts", "k", "v"), row)) for row in batch])
            seen, wait = [], 5_000
            while True:
                try:
                    seen += zip(*rows.next_timeout(wait).to_dicts().values())
                    wait = 500
                except laminardb.SubscriptionError:
                    break
            shown = sorted(seen, key=str)
            print(f"  {batch}: {shown}")


ROWS = [(1000 * second, "a", 1.0) for second in range(1, 6)]
for bound in (None, "0", "5000", "60000", "INTERVAL '1' SECOND", "INTERVAL '60' SECOND"):
    print(f"bound {bound}:")
    run("SELECT ts FROM t", [ROWS], f", WATERMARK FOR ts AS ts - {bound}" if bound else "")
run("SELECT ts FROM t", [ROWS[4:], ROWS[3:4], ROWS[:3]], ", WATERMARK FOR ts AS ts - 60000")
PY
expected="bound None:
SELECT ts FROM t
  [(1000, 'a', 1.0), (2000, 'a', 1.0), (3000, 'a', 1.0), (4000, 'a', 1.0), (5000, 'a', 1.0)]: [(1000,), (2000,), (3000,), (4000,), (5000,)]
bound 0:
SELECT ts FROM t
  [(1000, 'a', 1.0), (2000, 'a', 1.0), (3000, 'a', 1.0), (4000, 'a', 1.0), (5000, 'a', 1.0)]: [(4000,), (5000,)]
bound 5000:
SELECT ts FROM t
  [(1000, 'a', 1.0), (2000, 'a', 1.0), (3000, 'a', 1.0), (4000, 'a', 1.0), (5000, 'a', 1.0)]: [(4000,), (5000,)]
bound 60000:
SELECT ts FROM t
  [(1000, 'a', 1.0), (2000, 'a', 1.0), (3000, 'a', 1.0), (4000, 'a', 1.0), (5000, 'a', 1.0)]: [(4000,), (5000,)]
bound INTERVAL '1' SECOND:
SELECT ts FROM t
  [(1000, 'a', 1.0), (2000, 'a', 1.0), (3000, 'a', 1.0), (4000, 'a', 1.0), (5000, 'a', 1.0)]: [(4000,), (5000,)]
bound INTERVAL '60' SECOND:
SELECT ts FROM t
  [(1000, 'a', 1.0), (2000, 'a', 1.0), (3000, 'a', 1.0), (4000, 'a', 1.0), (5000, 'a', 1.0)]: [(1000,), (2000,), (3000,), (4000,), (5000,)]
SELECT ts FROM t
  [(5000, 'a', 1.0)]: [(5000,)]
  [(4000, 'a', 1.0)]: [(4000,)]
  [(1000, 'a', 1.0), (2000, 'a', 1.0), (3000, 'a', 1.0)]: []"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
