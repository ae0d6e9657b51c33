#!/usr/bin/env bash
# herddb 0.29.0: 1 + NULL is 1, count(v) counts nulls, and a join matches null with null.
#
# HerdDB plans with Calcite, and runs the plans itself. Arithmetic takes null for 0, so `v + 1 > 0`
# finds the rows without v, which `v > -1` does not. count(v) is count(*). An inner join pairs a row
# whose key is null with each such row of the other side, and IN of a subquery finds null in it. The
# sum of no value is 0, and their maximum null.
#
# Guess before the run: null, all over.
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
      <groupId>org.herddb</groupId>
      <artifactId>herddb-jdbc</artifactId>
      <version>0.29.0</version>
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
    try (var connection = DriverManager.getConnection("jdbc:herddb:local");
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
    System.exit(0);
  }
}
JAVA
cat >"$work/queries" <<'SQL'
CREATE TABLE t (i INT PRIMARY KEY, g INT, v INT)
INSERT INTO t (i, g, v) VALUES (1, 1, 5), (2, 1, NULL), (3, NULL, 7), (4, 2, NULL)
CREATE TABLE u (j INT PRIMARY KEY, h INT)
INSERT INTO u (j, h) VALUES (1, 1), (2, NULL)
SELECT i, v, 1 + v, v * 2 FROM t
SELECT i FROM t WHERE v > -1
SELECT i FROM t WHERE v + 1 > 0
SELECT count(*), count(v), sum(v), max(v) FROM t
SELECT g, count(v), sum(v), max(v) FROM t GROUP BY g
SELECT t.i, u.j FROM t JOIN u ON t.g = u.h
SELECT i FROM t WHERE g IN (SELECT h FROM u)
SQL
expected='SELECT i, v, 1 + v, v * 2 FROM t: 1 5 6 10, 2 null 1 0, 3 7 8 14, 4 null 1 0
SELECT i FROM t WHERE v > -1: 1, 3
SELECT i FROM t WHERE v + 1 > 0: 1, 2, 3, 4
SELECT count(*), count(v), sum(v), max(v) FROM t: 4 4 12 7
SELECT g, count(v), sum(v), max(v) FROM t GROUP BY g: 1 2 5 5, 2 1 0 null, null 1 7 7
SELECT t.i, u.j FROM t JOIN u ON t.g = u.h: 1 1, 2 1, 3 2
SELECT i FROM t WHERE g IN (SELECT h FROM u): 1, 2, 3'
seen=$(cd "$work" && java -cp "$work/jars/*" "$work/Run.java" "$work/queries" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
