#!/usr/bin/env bash
# snowflake-snowpark-python 1.56.0: in local testing `v != 1` keeps null, and two nulls empty except_.
#
# The option local_testing runs the DataFrames of a program without a Snowflake, on pandas, for tests.
# In Snowflake, as in SQL, a comparison with null is null, and a filter leaves it out. Here it is
# false, and `!=` true, so filters keep rows that they will not keep in earnest; in_(1, None) has null.
# except_ and intersect give each row once, and null equals null in them. Here, as soon as the left
# side has null twice, except_ gives nothing, and intersect loses what is not 1; with one null, or
# with 3 twice, they are right.
#
# Guess before the run: a filter that passes a local test passes the same rows in Snowflake.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  'snowflake-snowpark-python[localtest]==1.56.0' 'pandas==2.3.3'
cat >"$work/run.py" <<'PY'
from snowflake.snowpark import Session
from snowflake.snowpark.functions import col, when
from snowflake.snowpark.types import IntegerType, StructField, StructType

session = Session.builder.config("local_testing", True).create()
schema = StructType([StructField("v", IntegerType())])
t = session.create_dataframe([(1,), (None,), (3,), (None,)], schema=schema)
once = session.create_dataframe([(1,), (None,), (3,), (3,)], schema=schema)
u = session.create_dataframe([(1,)], schema=schema)
v = col("v")
for text in (
    "t.filter(v != 1)",
    "t.filter(~(v == 1))",
    "t.filter(~v.between(2, 5))",
    "t.filter(v.in_(1, None))",
    "t.filter(~v.in_(1, None))",
    "t.select(when(v != 1, 'other').otherwise('1 or unknown'))",
    "once.except_(u)",
    "t.except_(u)",
    "once.intersect(once)",
    "t.intersect(t)",
):
    print(f"{text}: {', '.join(str(row[0]) for row in eval(text).collect()) or 'no rows'}")
PY
expected="t.filter(v != 1): None, 3, None
t.filter(~(v == 1)): None, 3, None
t.filter(~v.between(2, 5)): 1, None, None
t.filter(v.in_(1, None)): 1, None, None
t.filter(~v.in_(1, None)): 3
t.select(when(v != 1, 'other').otherwise('1 or unknown')): 1 or unknown, other, other, other
once.except_(u): None, 3
t.except_(u): no rows
once.intersect(once): 1, None, 3
t.intersect(t): 1"
seen=$("$work/venv/bin/python" "$work/run.py" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
