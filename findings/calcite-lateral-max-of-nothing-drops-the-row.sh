#!/usr/bin/env bash
# Calcite 1.42.0: LATERAL (SELECT max(c) ... WHERE c < t.i) drops each row of t that has no such c.
#
# An aggregate without GROUP BY gives one row, also over nothing: its max is null. So a lateral join
# with it keeps each row of t. Calcite groups the inner rows by i, and joins the groups: a row that
# has none is gone. It stays if the aggregate is count, or if a count is beside it: one more column
# inside gives more rows outside. As a value in SELECT, or after LEFT JOIN LATERAL, the same max is
# null, and the row stays. DuckDB 2.0.1 keeps it in all of them.
#
# Guess before the run: one row of t makes one row of the result, as it does for count.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'duckdb==2.0.1'
cat >"$work/pom.xml" <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId>
  <artifactId>finding</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.calcite</groupId>
      <artifactId>calcite-core</artifactId>
      <version>1.42.0</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;

public class Run {
  public static void main(String[] args) throws Exception {
    for (String line : Files.readAllLines(Path.of(args[0]))) {
      String name = line.substring(0, line.indexOf(": "));
      var properties = new Properties();
      properties.setProperty("conformance", name.endsWith("BABEL") ? "BABEL" : "DEFAULT");
      List<String> rows = new ArrayList<>();
      try (var connection = DriverManager.getConnection("jdbc:calcite:", properties);
          var statement = connection.createStatement();
          var result = statement.executeQuery(line.substring(name.length() + 2))) {
        while (result.next()) {
          List<String> row = new ArrayList<>();
          for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
            row.add(String.valueOf(result.getObject(i)));
          }
          rows.add(String.join(" ", row));
        }
      } catch (SQLException e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
          cause = cause.getCause();
        }
        rows.add("error: " + cause.getMessage());
      }
      Collections.sort(rows);
      System.out.println(name + ": " + (rows.isEmpty() ? "no rows" : String.join(", ", rows)));
    }
  }
}
JAVA
cat >"$work/queries" <<'SQL'
max: SELECT i, m FROM (VALUES (1), (2)) AS t(i), LATERAL (SELECT max(c) AS m FROM (VALUES (1), (CAST(NULL AS INTEGER))) AS u(c) WHERE c < i) AS x
sum: SELECT i, m FROM (VALUES (1), (2)) AS t(i), LATERAL (SELECT sum(c) AS m FROM (VALUES (1), (CAST(NULL AS INTEGER))) AS u(c) WHERE c < i) AS x
count: SELECT i, m FROM (VALUES (1), (2)) AS t(i), LATERAL (SELECT count(*) AS m FROM (VALUES (1), (CAST(NULL AS INTEGER))) AS u(c) WHERE c < i) AS x
coalesce of sum: SELECT i, m FROM (VALUES (1), (2)) AS t(i), LATERAL (SELECT coalesce(sum(c), 0) AS m FROM (VALUES (1), (CAST(NULL AS INTEGER))) AS u(c) WHERE c < i) AS x
max beside count: SELECT i, m FROM (VALUES (1), (2)) AS t(i), LATERAL (SELECT count(*) AS n, max(c) AS m FROM (VALUES (1), (CAST(NULL AS INTEGER))) AS u(c) WHERE c < i) AS x
max as a value: SELECT i, (SELECT max(c) FROM (VALUES (1), (CAST(NULL AS INTEGER))) AS u(c) WHERE c < i) FROM (VALUES (1), (2)) AS t(i)
max by LEFT JOIN: SELECT i, m FROM (VALUES (1), (2)) AS t(i) LEFT JOIN LATERAL (SELECT max(c) AS m FROM (VALUES (1), (CAST(NULL AS INTEGER))) AS u(c) WHERE c < i) AS x ON TRUE
SQL
cat >"$work/run.py" <<'PY'
import sys

import duckdb

for line in open(sys.argv[1]):
    name, _, query = line.partition(": ")
    rows = [" ".join(str(v) for v in row) for row in duckdb.sql(query).fetchall()]
    print(f"DuckDB, {name}: {', '.join(sorted(rows)).replace('None', 'null')}")
PY
expected='max: 2 1
sum: 2 1
count: 1 0, 2 1
coalesce of sum: 1 0, 2 1
max beside count: 1 null, 2 1
max as a value: 1 null, 2 1
max by LEFT JOIN: 1 null, 2 1
DuckDB, max: 1 null, 2 1
DuckDB, sum: 1 null, 2 1
DuckDB, count: 1 0, 2 1
DuckDB, coalesce of sum: 1 0, 2 1
DuckDB, max beside count: 1 null, 2 1
DuckDB, max as a value: 1 null, 2 1
DuckDB, max by LEFT JOIN: 1 null, 2 1'
seen=$({ java -cp "$work/jars/*" "$work/Run.java" "$work/queries"; "$work/venv/bin/python" "$work/run.py" "$work/queries"; } 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
