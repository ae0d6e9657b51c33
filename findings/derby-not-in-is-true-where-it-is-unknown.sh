#!/usr/bin/env bash
# Derby 10.16.1.1: `w NOT IN (SELECT j ...)` is true as a column where it is unknown.
#
# If a list holds null, `w NOT IN` is unknown for each w that is not in it, and so it is for a null w
# and any list that is not empty. WHERE leaves these rows out. In the list of SELECT, and inside
# CASE, the same text is true; IN, which is unknown too, is false. So NOT IN in WHERE finds
# no row, and a filter on CASE WHEN of the same condition all of them. IN of a list of values knows
# the unknown. 10.16 is the last line of Derby for Java 17.
#
# Guess before the run: null, and the branch of ELSE.
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
INSERT INTO a VALUES (1, 1), (2, 2), (3, NULL)
CREATE TABLE b (j INT)
INSERT INTO b VALUES (1), (NULL)
SELECT i FROM a WHERE w NOT IN (SELECT j FROM b)
SELECT i, w NOT IN (SELECT j FROM b) FROM a
SELECT i, w IN (SELECT j FROM b) FROM a
SELECT i, (w NOT IN (SELECT j FROM b)) IS NULL FROM a
SELECT i FROM a WHERE CASE WHEN w NOT IN (SELECT j FROM b) THEN 1 ELSE 0 END = 1
SELECT i FROM a WHERE CASE WHEN w NOT IN (SELECT j FROM b WHERE j IS NOT NULL) THEN 1 ELSE 0 END = 1
SELECT i, w NOT IN (1, 7) FROM a
SQL
expected='SELECT i FROM a WHERE w NOT IN (SELECT j FROM b): no rows
SELECT i, w NOT IN (SELECT j FROM b) FROM a: 1 false, 2 true, 3 true
SELECT i, w IN (SELECT j FROM b) FROM a: 1 true, 2 false, 3 false
SELECT i, (w NOT IN (SELECT j FROM b)) IS NULL FROM a: 1 false, 2 false, 3 false
SELECT i FROM a WHERE CASE WHEN w NOT IN (SELECT j FROM b) THEN 1 ELSE 0 END = 1: 2, 3
SELECT i FROM a WHERE CASE WHEN w NOT IN (SELECT j FROM b WHERE j IS NOT NULL) THEN 1 ELSE 0 END = 1: 2, 3
SELECT i, w NOT IN (1, 7) FROM a: 1 false, 2 true, 3 null'
seen=$(cd "$work" && java -cp "$work/jars/*" "$work/Run.java" "$work/queries" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
