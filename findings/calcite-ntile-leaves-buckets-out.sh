#!/usr/bin/env bash
# Calcite 1.42.0: NTILE(5) of three rows gives the numbers 1, 2 and 4.
#
# NTILE(n) deals rows in order into n buckets whose sizes differ by at most one, the larger ones
# first: six rows in four are 2, 2, 1, 1, and three rows in five are in the first three. Calcite
# takes a bucket from the share of rows before it. Its larger buckets come anywhere, here as 2, 1,
# 2, 1, and bucket 3 is left out where 4 is there. With a number that divides the rows it is right,
# as a short test would have it. DuckDB 2.0.1 follows the standard.
#
# Guess before the run: as the standard says: the larger buckets first, and none left out.
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
6 rows in 3: SELECT i, ntile(3) OVER (ORDER BY i) FROM (VALUES (1), (2), (3), (4), (5), (6)) AS t(i)
6 rows in 4: SELECT i, ntile(4) OVER (ORDER BY i) FROM (VALUES (1), (2), (3), (4), (5), (6)) AS t(i)
4 rows in 3: SELECT i, ntile(3) OVER (ORDER BY i) FROM (VALUES (1), (2), (3), (4)) AS t(i)
3 rows in 5: SELECT i, ntile(5) OVER (ORDER BY i) FROM (VALUES (1), (2), (3)) AS t(i)
7 rows in 4: SELECT i, ntile(4) OVER (ORDER BY i) FROM (VALUES (1), (2), (3), (4), (5), (6), (7)) AS t(i)
SQL
cat >"$work/run.py" <<'PY'
import sys

import duckdb

for line in open(sys.argv[1]):
    name, _, query = line.partition(": ")
    rows = [" ".join(str(v) for v in row) for row in duckdb.sql(query).fetchall()]
    print(f"DuckDB, {name}: {', '.join(sorted(rows)).replace('None', 'null')}")
PY
expected='6 rows in 3: 1 1, 2 1, 3 2, 4 2, 5 3, 6 3
6 rows in 4: 1 1, 2 1, 3 2, 4 3, 5 3, 6 4
4 rows in 3: 1 1, 2 1, 3 2, 4 3
3 rows in 5: 1 1, 2 2, 3 4
7 rows in 4: 1 1, 2 1, 3 2, 4 2, 5 3, 6 3, 7 4
DuckDB, 6 rows in 3: 1 1, 2 1, 3 2, 4 2, 5 3, 6 3
DuckDB, 6 rows in 4: 1 1, 2 1, 3 2, 4 2, 5 3, 6 4
DuckDB, 4 rows in 3: 1 1, 2 1, 3 2, 4 3
DuckDB, 3 rows in 5: 1 1, 2 2, 3 3
DuckDB, 7 rows in 4: 1 1, 2 1, 3 2, 4 2, 5 3, 6 3, 7 4'
seen=$({ java -cp "$work/jars/*" "$work/Run.java" "$work/queries"; "$work/venv/bin/python" "$work/run.py" "$work/queries"; } 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
