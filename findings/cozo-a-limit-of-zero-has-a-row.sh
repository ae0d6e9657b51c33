#!/usr/bin/env bash
# cozo-embedded 0.7.6: `:limit 0` gives one row, and with `:order x` none; 5 == 5.0 is true and does not join.
#
# `:limit N` gives at most N rows. CozoDB stops after the row that fills the limit, and so has one row for 0,
# unless the rows are sorted, when it cuts the list. Two atoms with the same variable join where the values are
# equal. 5 == 5.0 is true, and 5 and 5.0 are counted as one by `v == 5.0`, but as two by a join, by `not`, and
# by a key that is written in braces: of a stored relation whose key is a Float, {k: 0, v} finds no row and
# `k == 0` finds those of 0.0 and -0.0.
#
# Guess before the run: no row for 0 either way, and the same rows by each way to ask for a key.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pycozo==0.7.6' 'cozo-embedded==0.7.6'
cat >"$work/run.py" <<'PY'
from pycozo.client import Client

client = Client(dataframe=False)
client.run("{:create s {k: Float => v: Int}}")
client.run("?[k, v] <- [[1, 10], [0.0, 20], [-0.0, 30]] :put s {k => v}")
NUMBERS = "t[i, v] <- [[0, 5], [1, 5.0], [2, 7]] u[v] <- [[5.0], [7.0]]"
for query in (
    "?[x] := x in [1, 2, 3] :limit 0",
    "?[x] := x in [1, 2, 3] :limit 1",
    "?[x] := x in [1, 2, 3] :order x :limit 0",
    "?[k, v] := *s[k, v] :limit 0",
    f"{NUMBERS} ?[i] := t[i, v], v == 5.0",
    f"{NUMBERS} ?[i] := t[i, v], u[v]",
    f"{NUMBERS} ?[i] := t[i, v], u[w], v == w",
    f"{NUMBERS} ?[i] := t[i, v], not u[v]",
    "?[v] := *s[k, v], k == 0",
    "?[v] := *s[k, v], k == 1",
    "?[v] := *s{k: 0, v}",
    "?[v] := *s{k: 1, v}",
    "?[v] := *s{k: 1.0, v}",
):
    print(f"{query.removeprefix(NUMBERS).strip()}: {client.run(query)['rows']}")
PY
expected='?[x] := x in [1, 2, 3] :limit 0: [[1]]
?[x] := x in [1, 2, 3] :limit 1: [[1]]
?[x] := x in [1, 2, 3] :order x :limit 0: []
?[k, v] := *s[k, v] :limit 0: [[-0.0, 30]]
?[i] := t[i, v], v == 5.0: [[0], [1]]
?[i] := t[i, v], u[v]: [[1]]
?[i] := t[i, v], u[w], v == w: [[0], [1], [2]]
?[i] := t[i, v], not u[v]: [[0], [2]]
?[v] := *s[k, v], k == 0: [[20], [30]]
?[v] := *s[k, v], k == 1: [[10]]
?[v] := *s{k: 0, v}: []
?[v] := *s{k: 1, v}: []
?[v] := *s{k: 1.0, v}: [[10]]'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
