#!/usr/bin/env bash
# Derby 10.16.1.1: `LEFT JOIN ... WHERE coalesce(x, 20) > 0` has only the rows that have a partner.
#
# A left join gives null for x where a row has no partner, and coalesce puts 20 there: all rows pass.
# A condition that null does not pass lets a left join become an inner one. Derby takes this one for
# such, though coalesce is there to let null pass; `coalesce(w, x)`, whose first value is of the left
# table, and `... IS NOT NULL` lose rows as well. As a column coalesce is right, and CASE that says
# the same has all rows. 10.16 is the last line of Derby for Java 17.
#
# Guess before the run: the rows for which the same column is above 0.
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
      <groupId>org.apache.derby</groupId>
      <artifactId>derby</artifactId>
      <version>10.16.1.1</version>
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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

public class Run {
  public static void main(String[] args) throws Exception {
    try (var connection = DriverManager.getConnection("jdbc:derby:memory:finding;create=true");
        var statement = connection.createStatement()) {
      for (String line : Files.readAllLines(Path.of(args[0]))) {
        if (!statement.execute(line)) {
          continue;
        }
        List<String> rows = new ArrayList<>();
        var result = statement.getResultSet();
        while (result.next()) {
          List<String> row = new ArrayList<>();
          for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
            row.add(String.valueOf(result.getObject(i)));
          }
          rows.add(String.join(" ", row));
        }
        Collections.sort(rows);
        System.out.println(line + ": " + (rows.isEmpty() ? "no rows" : String.join(", ", rows)));
      }
    }
  }
}
JAVA
cat >"$work/queries" <<'SQL'
CREATE TABLE a (i INT, w INT)
INSERT INTO a VALUES (1, 10), (2, 20), (3, NULL)
CREATE TABLE b (j INT, x INT)
INSERT INTO b VALUES (1, 5), (4, 7)
SELECT i, coalesce(x, 20) FROM a LEFT JOIN b ON i = j
SELECT i, coalesce(x, 20) FROM a LEFT JOIN b ON i = j WHERE coalesce(x, 20) > 0
SELECT i, coalesce(x, 20) FROM a LEFT JOIN b ON i = j WHERE coalesce(x, 20) IS NOT NULL
SELECT i, coalesce(x, 20) FROM a LEFT JOIN b ON i = j WHERE CASE WHEN x IS NULL THEN 20 ELSE x END > 0
SELECT i, coalesce(w, x) FROM a LEFT JOIN b ON i = j WHERE coalesce(w, x) > 0
SELECT i, y FROM (SELECT i, coalesce(x, 20) AS y FROM a LEFT JOIN b ON i = j) q WHERE y > 0
SQL
expected='SELECT i, coalesce(x, 20) FROM a LEFT JOIN b ON i = j: 1 5, 2 20, 3 20
SELECT i, coalesce(x, 20) FROM a LEFT JOIN b ON i = j WHERE coalesce(x, 20) > 0: 1 5
SELECT i, coalesce(x, 20) FROM a LEFT JOIN b ON i = j WHERE coalesce(x, 20) IS NOT NULL: 1 5
SELECT i, coalesce(x, 20) FROM a LEFT JOIN b ON i = j WHERE CASE WHEN x IS NULL THEN 20 ELSE x END > 0: 1 5, 2 20, 3 20
SELECT i, coalesce(w, x) FROM a LEFT JOIN b ON i = j WHERE coalesce(w, x) > 0: 1 10
SELECT i, y FROM (SELECT i, coalesce(x, 20) AS y FROM a LEFT JOIN b ON i = j) q WHERE y > 0: 1 5, 2 20, 3 20'
seen=$(cd "$work" && java -cp "$work/jars/*" "$work/Run.java" "$work/queries" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
