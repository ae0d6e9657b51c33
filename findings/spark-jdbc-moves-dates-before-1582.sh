#!/usr/bin/env bash
# Spark 4.3.0 and H2 2.4.240: a date that Spark wrote is another one in the table, and not found.
#
# Until 1582 Spark's JDBC source and sink go through java.sql.Date, which counts by the Julian
# calendar there, and H2's driver by the calendar of SQL. Spark's DATE'1500-03-01' becomes
# 1500-03-11 in H2, and year 1 begins in year 0. Reading moves it back, so Spark shows what it
# wrote; but a filter is handed to H2 as a text, and `d = DATE'1500-03-01'` finds nothing. Without
# pushDownPredicate it finds the row. The first day of the year 1, as a stand-in for "always", is
# one that people write. HSQLDB 2.7.4 has the dates as they were; for both, 1582-10-10 becomes
# 1582-10-15.
#
# Guess before the run: a date is the same on both sides, and a filter finds what the rows show.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyspark==4.3.0'
for jar in com.h2database:h2:2.4.240 org.hsqldb:hsqldb:2.7.4; do
  mvn -q dependency:copy -Dartifact="$jar" -DoutputDirectory="$work/jars" >/dev/null
done
cat >"$work/run.py" <<'PY'
import glob
import sys

from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.log.level", "ERROR")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.jars", ",".join(glob.glob(f"{sys.argv[1]}/jars/*.jar")))
    .getOrCreate()
)
dates = ("0001-01-01", "1500-03-01", "1582-10-10", "1600-01-01")
for name, url, driver in (
    ("H2", "jdbc:h2:mem:t;DB_CLOSE_DELAY=-1", "org.h2.Driver"),
    ("HSQLDB", "jdbc:hsqldb:mem:t", "org.hsqldb.jdbc.JDBCDriver"),
):
    options = {"url": url, "driver": driver}
    rows = spark.sql("SELECT " + " UNION ALL SELECT ".join(f"DATE'{d}' AS d" for d in dates))
    rows.coalesce(1).write.format("jdbc").options(**options).option("dbtable", "t").save()
    read = spark.read.format("jdbc").options(**options)
    text = 'SELECT CAST("d" AS VARCHAR(10)) AS "s" FROM t'
    there = read.option("query", text).load().collect()
    print(f"{name}: Spark writes", list(dates))
    print("  in the table:", sorted(row.s for row in there))
    read = spark.read.format("jdbc").options(**options).option("dbtable", "t")
    for push in ("true", "false"):
        found = read.option("pushDownPredicate", push).load()
        kept = [str(r.d) for d in dates for r in found.where(f"d = DATE'{d}'").collect()]
        print(f"  found by their dates, pushDownPredicate {push}:", kept)
    print("  Spark reads:", sorted(str(row.d) for row in found.collect()))
PY
expected="H2: Spark writes ['0001-01-01', '1500-03-01', '1582-10-10', '1600-01-01']
  in the table: ['0000-12-30', '1500-03-11', '1582-10-15', '1600-01-01']
  found by their dates, pushDownPredicate true: ['1582-10-15', '1600-01-01']
  found by their dates, pushDownPredicate false: ['0001-01-01', '1500-03-01', '1600-01-01']
  Spark reads: ['0001-01-01', '1500-03-01', '1582-10-15', '1600-01-01']
HSQLDB: Spark writes ['0001-01-01', '1500-03-01', '1582-10-10', '1600-01-01']
  in the table: ['0001-01-01', '1500-03-01', '1582-10-15', '1600-01-01']
  found by their dates, pushDownPredicate true: ['0001-01-01', '1500-03-01', '1582-10-15', '1600-01-01']
  found by their dates, pushDownPredicate false: ['0001-01-01', '1500-03-01', '1600-01-01']
  Spark reads: ['0001-01-01', '1500-03-01', '1582-10-15', '1600-01-01']"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
