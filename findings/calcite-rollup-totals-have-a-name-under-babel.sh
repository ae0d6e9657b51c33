#!/usr/bin/env bash
# Calcite 1.42.0: under the conformance BABEL, the total of a ROLLUP has the name of a group.
#
# ROLLUP(k) gives a sum for each k, and one for all, whose k is null. BABEL is the conformance that
# takes the texts of all dialects. Under it k keeps some value: 30 is a sum of b, beside 20, the sum
# of b. With two keys the half totals come as full rows a second time. HAVING k IS NULL, which picks
# the total, finds none, and grouping(k) is refused with a message that is false. The default
# conformance is right.
#
# Guess before the run: a conformance says which texts are taken, and not what they mean.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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
rollup: SELECT k, sum(v) FROM (VALUES ('a', 10), ('b', 20)) AS t(k, v) GROUP BY ROLLUP(k)
rollup BABEL: SELECT k, sum(v) FROM (VALUES ('a', 10), ('b', 20)) AS t(k, v) GROUP BY ROLLUP(k)
two keys: SELECT k, n, sum(v) FROM (VALUES ('a', 1, 10), ('b', 2, 20)) AS t(k, n, v) GROUP BY ROLLUP(k, n)
two keys BABEL: SELECT k, n, sum(v) FROM (VALUES ('a', 1, 10), ('b', 2, 20)) AS t(k, n, v) GROUP BY ROLLUP(k, n)
the total: SELECT k, sum(v) FROM (VALUES ('a', 10), ('b', 20)) AS t(k, v) GROUP BY ROLLUP(k) HAVING k IS NULL
the total BABEL: SELECT k, sum(v) FROM (VALUES ('a', 10), ('b', 20)) AS t(k, v) GROUP BY ROLLUP(k) HAVING k IS NULL
grouping: SELECT k, grouping(k) FROM (VALUES ('a', 10), ('b', 20)) AS t(k, v) GROUP BY ROLLUP(k)
grouping BABEL: SELECT k, grouping(k) FROM (VALUES ('a', 10), ('b', 20)) AS t(k, v) GROUP BY ROLLUP(k)
SQL
expected='rollup: a 10, b 20, null 30
rollup BABEL: a 10, b 20, b 30
two keys: a 1 10, a null 10, b 2 20, b null 20, null null 30
two keys BABEL: a 1 10, a 1 10, b 2 20, b 2 20, b 2 30
the total: null 30
the total BABEL: no rows
grouping: a 0, b 0, null 1
grouping BABEL: error: GROUPING operator may only occur in SELECT, HAVING or ORDER BY clause'
seen=$(java -cp "$work/jars/*" "$work/Run.java" "$work/queries" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
