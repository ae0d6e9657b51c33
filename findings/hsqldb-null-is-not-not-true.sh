#!/usr/bin/env bash
# HSQLDB 2.7.4: null IS NOT TRUE is null, so the rows without a value are missing among those not true.
#
# IS [NOT] TRUE and IS [NOT] FALSE ask for one of three truth values, so their answer is true or false:
# null is not true. HSQLDB takes `b IS TRUE` for `b = TRUE` and answers null for null. WHERE b IS NOT
# TRUE and WHERE NOT (b IS TRUE) leave the row without b out, and CASE WHEN puts it among the true
# ones. IS UNKNOWN and IS DISTINCT FROM TRUE know null. Rows that an outer join fills go the same way.
#
# Guess before the run: IS NOT TRUE finds what IS TRUE does not.
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
      <groupId>org.hsqldb</groupId>
      <artifactId>hsqldb</artifactId>
      <version>2.7.4</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import java.sql.DriverManager;
import java.util.StringJoiner;

public class Run {
  public static void main(String[] args) throws Exception {
    try (var connection = DriverManager.getConnection("jdbc:hsqldb:mem:finding");
        var statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t (i INTEGER, b BOOLEAN)");
      statement.execute("INSERT INTO t VALUES (1, TRUE), (2, FALSE), (3, NULL)");
      statement.execute("CREATE TABLE u (i INTEGER, v INTEGER)");
      statement.execute("INSERT INTO u VALUES (1, 7), (2, 5)");
      for (String query :
          new String[] {
            "SELECT i, b IS TRUE, b IS NOT TRUE, b IS UNKNOWN, b IS DISTINCT FROM TRUE FROM t ORDER BY i",
            "SELECT i FROM t WHERE b IS TRUE",
            "SELECT i FROM t WHERE b IS NOT TRUE",
            "SELECT i FROM t WHERE NOT (b IS TRUE)",
            "SELECT i FROM t WHERE b IS NOT FALSE",
            "SELECT i FROM t WHERE b IS DISTINCT FROM TRUE",
            "SELECT i, CASE WHEN b IS NOT TRUE THEN 'no' ELSE 'yes' END FROM t ORDER BY i",
            "SELECT t.i FROM t LEFT JOIN u ON t.i = u.i WHERE (u.v > 6) IS NOT TRUE",
          }) {
        try (var rows = statement.executeQuery(query)) {
          var found = new StringJoiner(", ", query + ": ", "");
          while (rows.next()) {
            var row = new StringJoiner(" ");
            for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
              row.add(String.valueOf(rows.getObject(column)).trim());
            }
            found.add(row.toString());
          }
          System.out.println(found);
        }
      }
    }
  }
}
JAVA
expected='SELECT i, b IS TRUE, b IS NOT TRUE, b IS UNKNOWN, b IS DISTINCT FROM TRUE FROM t ORDER BY i: 1 true false false false, 2 false true false true, 3 null null true true
SELECT i FROM t WHERE b IS TRUE: 1
SELECT i FROM t WHERE b IS NOT TRUE: 2
SELECT i FROM t WHERE NOT (b IS TRUE): 2
SELECT i FROM t WHERE b IS NOT FALSE: 1
SELECT i FROM t WHERE b IS DISTINCT FROM TRUE: 2, 3
SELECT i, CASE WHEN b IS NOT TRUE THEN '"'no' ELSE 'yes'"' END FROM t ORDER BY i: 1 yes, 2 no, 3 yes
SELECT t.i FROM t LEFT JOIN u ON t.i = u.i WHERE (u.v > 6) IS NOT TRUE: 2'
seen=$(java -cp "$work/jars/*" "$work/Run.java" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
