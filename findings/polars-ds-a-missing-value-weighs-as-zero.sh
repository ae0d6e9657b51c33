#!/usr/bin/env bash
# polars-ds 0.13.0: the weighted mean of 2, 4 and null with equal weights is 2, that of 2 and 4 is 3.
#
# polars-ds adds statistics to Polars as expressions. The sum of values by weights leaves null out, as Polars does, and
# is divided by the sum of all weights, those of the missing values too: a missing value counts as 0. The weighted
# variance and correlation rest on that mean: 1 and 2, 2 and 4, 3 and 6 correlate by 1, and with a row that has a null
# by much less. query_l1() says in its documentation that nulls are not counted in N; it counts rows whose
# prediction is null, so that each of them makes the mean error smaller. Polars' own mean and corr leave them out.
#
# Guess before the run: the values of the rows that are complete.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'polars-ds==0.13.0' 'polars==2.1.0'
cat >"$work/run.py" <<'PY'
import polars as pl
import polars_ds as pds

rows = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [2.0, 4.0, 6.0, None], "w": [1.0, 1.0, 1.0, 1.0]})
for name, table in (("complete rows", rows.drop_nulls()), ("a row with null", rows)):
    found = table.select(
        mean=pl.col("y").mean(),
        weighted_mean=pds.weighted_mean("y", "w"),
        weighted_var=pds.weighted_var("y", "w"),
        corr=pl.corr("x", "y"),
        weighted_corr=pds.weighted_corr("x", "y", "w"),
        query_l1=pds.query_l1("x", "y"),
        mean_error=(pl.col("x") - pl.col("y")).abs().mean(),
    )
    print(f"{name}: {', '.join(f'{key} {value:.4f}' for key, value in found.row(0, named=True).items())}")
two = pl.DataFrame({"y": [2.0, 4.0, None], "w": [1.0, 1.0, 1.0]})
print("2, 4 and null:", two.select(pds.weighted_mean("y", "w")).item(), "and 2 and 4:", two.head(2).select(pds.weighted_mean("y", "w")).item())
PY
expected='complete rows: mean 4.0000, weighted_mean 4.0000, weighted_var 2.6667, corr 1.0000, weighted_corr 1.0000, query_l1 2.0000, mean_error 2.0000
a row with null: mean 4.0000, weighted_mean 3.0000, weighted_var 2.7500, corr 1.0000, weighted_corr 0.3371, query_l1 1.5000, mean_error 2.0000
2, 4 and null: 2.0 and 2 and 4: 3.0'
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
