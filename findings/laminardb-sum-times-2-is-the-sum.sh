#!/usr/bin/env bash
# laminardb 0.17.0: sum(v) * 2 of a group is sum(v), -sum(v) too, and max(v) - min(v), max(v) are 9 and 1.
#
# A stream by GROUP BY sends the aggregates of all rows so far. It leaves out a calculation around an aggregate:
# count(*) + 1 is the count, -sum(v) the sum, and neither round() nor coalesce() is called. If an expression has two
# aggregates, their values take the places of the columns in turn: in SELECT max(v) - min(v), max(v) the second
# column is min(v). Other calculations are done, but over the last insert only: CAST(count(*) AS DOUBLE) counts
# that, and the range max(v) - min(v) shrinks. A query of the same rows by sql() is right.
#
# Guess before the run: the arithmetic of sql(), or a refusal.
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


BATCHES = ([(1, "a", 1.0), (2, "a", 9.0), (3, "a", 2.0)], [(4, "a", 3.0), (5, "a", 4.0)])
for items in (
    "count(*), sum(v), min(v), max(v)",
    "count(*) + 1, sum(v) * 2",
    "-sum(v)",
    "sum(v), -sum(v)",
    "round(avg(v)), coalesce(sum(v), 0)",
    "max(v) - min(v), max(v)",
    "max(v) - min(v)",
    "CAST(count(*) AS DOUBLE)",
):
    run(f"SELECT k, {items} FROM t GROUP BY k", BATCHES)
with laminardb.open(":memory:") as db:
    db.execute(SOURCE.format(""))
    db.insert("t", [dict(zip(("ts", "k", "v"), row)) for batch in BATCHES for row in batch])
    text = "SELECT k, sum(v) * 2, -sum(v), max(v) - min(v), max(v) FROM t GROUP BY k"
    print(f"by sql(), {text}: {list(zip(*db.sql(text).to_dicts().values()))}")
PY
expected="SELECT k, count(*), sum(v), min(v), max(v) FROM t GROUP BY k
  [(1, 'a', 1.0), (2, 'a', 9.0), (3, 'a', 2.0)]: [('a', 3, 12.0, 1.0, 9.0)]
  [(4, 'a', 3.0), (5, 'a', 4.0)]: [('a', 5, 19.0, 1.0, 9.0)]
SELECT k, count(*) + 1, sum(v) * 2 FROM t GROUP BY k
  [(1, 'a', 1.0), (2, 'a', 9.0), (3, 'a', 2.0)]: [('a', 3, 12.0)]
  [(4, 'a', 3.0), (5, 'a', 4.0)]: [('a', 5, 19.0)]
SELECT k, -sum(v) FROM t GROUP BY k
  [(1, 'a', 1.0), (2, 'a', 9.0), (3, 'a', 2.0)]: [('a', 12.0)]
  [(4, 'a', 3.0), (5, 'a', 4.0)]: [('a', 19.0)]
SELECT k, sum(v), -sum(v) FROM t GROUP BY k
  [(1, 'a', 1.0), (2, 'a', 9.0), (3, 'a', 2.0)]: [('a', 12.0, -12.0)]
  [(4, 'a', 3.0), (5, 'a', 4.0)]: [('a', 7.0, -7.0)]
SELECT k, round(avg(v)), coalesce(sum(v), 0) FROM t GROUP BY k
  [(1, 'a', 1.0), (2, 'a', 9.0), (3, 'a', 2.0)]: [('a', 4.0, 12.0)]
  [(4, 'a', 3.0), (5, 'a', 4.0)]: [('a', 3.8, 19.0)]
SELECT k, max(v) - min(v), max(v) FROM t GROUP BY k
  [(1, 'a', 1.0), (2, 'a', 9.0), (3, 'a', 2.0)]: [('a', 9.0, 1.0)]
  [(4, 'a', 3.0), (5, 'a', 4.0)]: [('a', 9.0, 1.0)]
SELECT k, max(v) - min(v) FROM t GROUP BY k
  [(1, 'a', 1.0), (2, 'a', 9.0), (3, 'a', 2.0)]: [('a', 8.0)]
  [(4, 'a', 3.0), (5, 'a', 4.0)]: [('a', 1.0)]
SELECT k, CAST(count(*) AS DOUBLE) FROM t GROUP BY k
  [(1, 'a', 1.0), (2, 'a', 9.0), (3, 'a', 2.0)]: [('a', 3.0)]
  [(4, 'a', 3.0), (5, 'a', 4.0)]: [('a', 2.0)]
by sql(), SELECT k, sum(v) * 2, -sum(v), max(v) - min(v), max(v) FROM t GROUP BY k: [('a', 38.0, -19.0, 8.0, 9.0)]"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
