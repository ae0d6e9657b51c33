#!/usr/bin/env bash
# Spark 4.3.0: GROUP BY a map turns a null value into a number, where code is generated.
#
# Spark 4 lets queries group by a map, whose entries it sorts first. With generated code, a null
# among values of a primitive type comes out of the sort as a number that was never there: the group
# {'a': 1, 'b': null} is shown as {'a': 1, 'b': 0}. Without generated code the null stays. Values of
# text stay null in both.
#
# Guess before the run: the key of a group is a value that was in the rows.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyspark==4.3.0'
cat >"$work/run.py" <<'PY'
import sys

from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.log.level", "ERROR")
    .getOrCreate()
)
for type, value in (("INT", "1"), ("STRING", "'x'")):
    folder = f"{sys.argv[1]}/{type}"
    made = f"SELECT map('a', {value}, 'b', CAST(NULL AS {type})) AS v"
    spark.sql(made).write.parquet(folder)
    for generated in (True, False):
        mode = "CODEGEN_ONLY" if generated else "NO_CODEGEN"
        spark.conf.set("spark.sql.codegen.factoryMode", mode)
        spark.conf.set("spark.sql.codegen.wholeStage", str(generated).lower())
        groups = spark.read.parquet(folder).groupBy("v").count().collect()
        kept = groups[0]["v"]["b"] is None
        print(f"{type}, {mode}: {len(groups)} group, the null is {'kept' if kept else 'a number'}")
PY
expected='INT, CODEGEN_ONLY: 1 group, the null is a number
INT, NO_CODEGEN: 1 group, the null is kept
STRING, CODEGEN_ONLY: 1 group, the null is kept
STRING, NO_CODEGEN: 1 group, the null is kept'
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
