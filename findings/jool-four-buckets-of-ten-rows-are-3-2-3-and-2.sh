#!/usr/bin/env bash
# org.jooq:jool 0.9.15: ntile(4) of ten rows has buckets of 3, 2, 3 and 2 rows, and ntile(5) of 3 rows is 0, 1 and 3.
#
# NTILE divides the rows of a window into buckets whose sizes differ by one, the larger ones first, and with fewer rows
# than buckets numbers the rows. The windows of jOOL are made after those of SQL, and count from 0. Their ntile is
# the row's number times the buckets, divided by the rows, without the fraction. The sizes are right, the larger buckets
# are not the first, and few rows leave numbers out: of five buckets the third is empty, and the fourth is not.
#
# Guess before the run: the numbers of SQLite, less 1.
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
      <groupId>org.jooq</groupId>
      <artifactId>jool</artifactId>
      <version>0.9.15</version>
    </dependency>
    <dependency>
      <groupId>org.xerial</groupId>
      <artifactId>sqlite-jdbc</artifactId>
      <version>3.50.3.0</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import org.jooq.lambda.Seq;

public class Run {
  public static void main(String[] args) throws Exception {
    try (var base = DriverManager.getConnection("jdbc:sqlite::memory:"); var statement = base.createStatement()) {
      for (int[] sizes : new int[][] {{6, 3}, {7, 3}, {10, 4}, {11, 4}, {3, 5}, {1, 2}}) {
        int rows = sizes[0];
        int buckets = sizes[1];
        List<Long> seen = Seq.range(0, rows).window().map(window -> window.ntile(buckets)).toList();
        List<Long> right = new ArrayList<>();
        var result = statement.executeQuery("WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t WHERE i < "
            + rows + ") SELECT NTILE(" + buckets + ") OVER (ORDER BY i) - 1 FROM t ORDER BY i");
        while (result.next()) {
          right.add(result.getLong(1));
        }
        System.out.println("ntile(" + buckets + ") of " + rows + " rows: " + seen + (seen.equals(right) ? "" : ", SQLite " + right));
      }
    }
  }
}
JAVA
expected='ntile(3) of 6 rows: [0, 0, 1, 1, 2, 2]
ntile(3) of 7 rows: [0, 0, 0, 1, 1, 2, 2]
ntile(4) of 10 rows: [0, 0, 0, 1, 1, 2, 2, 2, 3, 3], SQLite [0, 0, 0, 1, 1, 1, 2, 2, 3, 3]
ntile(4) of 11 rows: [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3]
ntile(5) of 3 rows: [0, 1, 3], SQLite [0, 1, 2]
ntile(2) of 1 rows: [0]'
seen=$(java -cp "$work/jars/*" "$work/Run.java" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
