#!/usr/bin/env bash
# laminardb 0.17.0: a window of five seconds comes in as many parts as there are inserts.
#
# GROUP BY k, TUMBLE(ts, 5000) shows one window in parts, each with the rows of one insert only. Nothing adds up the
# parts, and no part is taken back. A running sum, lag, row_number and LIMIT begin anew with each insert as well,
# while GROUP BY k goes on. So the result depends on how a program happens to bundle its rows.
#
# Guess before the run: one window over both inserts, as the event time has it.
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


ALL = [(1000, "a", 1.0), (2000, "a", 2.0), (3000, "a", 4.0), (4000, "a", 8.0)]
for batches in ([ALL], [ALL[:2], ALL[2:]], [ALL[:1], ALL[1:]]):
    run("SELECT k, count(*) AS c, sum(v) AS s FROM t GROUP BY k, TUMBLE(ts, 5000)", batches)
halves = [ALL[:2], ALL[2:]]
run("SELECT k, count(*) AS c, sum(v) AS s FROM t GROUP BY k", halves)
run("SELECT ts, sum(v) OVER (ORDER BY ts) AS s FROM t", halves)
run("SELECT ts, lag(v) OVER (ORDER BY ts) AS l FROM t", halves)
run("SELECT ts, v FROM t ORDER BY v DESC LIMIT 1", halves)
PY
expected="SELECT k, count(*) AS c, sum(v) AS s FROM t GROUP BY k, TUMBLE(ts, 5000)
  [(1000, 'a', 1.0), (2000, 'a', 2.0), (3000, 'a', 4.0), (4000, 'a', 8.0)]: [('a', 4, 15.0)]
SELECT k, count(*) AS c, sum(v) AS s FROM t GROUP BY k, TUMBLE(ts, 5000)
  [(1000, 'a', 1.0), (2000, 'a', 2.0)]: [('a', 2, 3.0)]
  [(3000, 'a', 4.0), (4000, 'a', 8.0)]: [('a', 2, 12.0)]
SELECT k, count(*) AS c, sum(v) AS s FROM t GROUP BY k, TUMBLE(ts, 5000)
  [(1000, 'a', 1.0)]: [('a', 1, 1.0)]
  [(2000, 'a', 2.0), (3000, 'a', 4.0), (4000, 'a', 8.0)]: [('a', 3, 14.0)]
SELECT k, count(*) AS c, sum(v) AS s FROM t GROUP BY k
  [(1000, 'a', 1.0), (2000, 'a', 2.0)]: [('a', 2, 3.0)]
  [(3000, 'a', 4.0), (4000, 'a', 8.0)]: [('a', 4, 15.0)]
SELECT ts, sum(v) OVER (ORDER BY ts) AS s FROM t
  [(1000, 'a', 1.0), (2000, 'a', 2.0)]: [(1000, 1.0), (2000, 3.0)]
  [(3000, 'a', 4.0), (4000, 'a', 8.0)]: [(3000, 4.0), (4000, 12.0)]
SELECT ts, lag(v) OVER (ORDER BY ts) AS l FROM t
  [(1000, 'a', 1.0), (2000, 'a', 2.0)]: [(1000, None), (2000, 1.0)]
  [(3000, 'a', 4.0), (4000, 'a', 8.0)]: [(3000, None), (4000, 4.0)]
SELECT ts, v FROM t ORDER BY v DESC LIMIT 1
  [(1000, 'a', 1.0), (2000, 'a', 2.0)]: [(2000, 2.0)]
  [(3000, 'a', 4.0), (4000, 'a', 8.0)]: [(4000, 8.0)]"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
