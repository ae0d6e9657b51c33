#!/usr/bin/env bash
# Flink 2.3.0: FLOOR(d TO WEEK) begins weeks on Sunday, and EXTRACT(WEEK FROM d) on Monday.
#
# Two ways to group by week in one system: the first day of the week, and its number. The number is
# ISO 8601's, whose weeks begin on Monday; FLOOR cuts to the Sunday before. So Sunday and the Monday
# after it are in one week by FLOOR and in two by EXTRACT, and a join of both summaries moves each
# Sunday by a week. Spark and DuckDB take Monday for both.
#
# Guess before the run: weeks of both begin on the same day.
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
      <groupId>org.apache.flink</groupId>
      <artifactId>flink-table-planner_2.12</artifactId>
      <version>2.3.0</version>
    </dependency>
    <dependency>
      <groupId>org.apache.flink</groupId>
      <artifactId>flink-table-runtime</artifactId>
      <version>2.3.0</version>
    </dependency>
    <dependency>
      <groupId>org.apache.flink</groupId>
      <artifactId>flink-table-api-java-bridge</artifactId>
      <version>2.3.0</version>
    </dependency>
    <dependency>
      <groupId>org.apache.flink</groupId>
      <artifactId>flink-clients</artifactId>
      <version>2.3.0</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;

public class Run {
  public static void main(String[] args) throws Exception {
    var conf = new Configuration();
    conf.setString("parallelism.default", "1");
    var settings = EnvironmentSettings.newInstance().withConfiguration(conf).inBatchMode();
    var env = TableEnvironment.create(settings.build());
    for (String query : Files.readAllLines(Path.of(args[0]))) {
      List<String> rows = new ArrayList<>();
      try (var result = env.executeSql(query).collect()) {
        result.forEachRemaining(row -> rows.add(row.toString().substring(2)));
      } catch (Exception e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
          cause = cause.getCause();
        }
        rows.add("error: " + cause.getMessage());
      }
      Collections.sort(rows);
      System.out.println(query + "\n  " + String.join(", ", rows));
    }
    System.exit(0);
  }
}
JAVA
cat >"$work/queries" <<'SQL'
SELECT d, FLOOR(d TO WEEK), EXTRACT(WEEK FROM d) FROM (VALUES (DATE '2024-01-06'), (DATE '2024-01-07'), (DATE '2024-01-08')) AS t(d)
SELECT FLOOR(d TO WEEK), count(*), count(DISTINCT EXTRACT(WEEK FROM d)) FROM (VALUES (DATE '2024-01-06'), (DATE '2024-01-07'), (DATE '2024-01-08')) AS t(d) GROUP BY FLOOR(d TO WEEK)
SQL
expected=$(cat <<'SEEN'
SELECT d, FLOOR(d TO WEEK), EXTRACT(WEEK FROM d) FROM (VALUES (DATE '2024-01-06'), (DATE '2024-01-07'), (DATE '2024-01-08')) AS t(d)
  [2024-01-06, 2023-12-31, 1], [2024-01-07, 2024-01-07, 1], [2024-01-08, 2024-01-07, 2]
SELECT FLOOR(d TO WEEK), count(*), count(DISTINCT EXTRACT(WEEK FROM d)) FROM (VALUES (DATE '2024-01-06'), (DATE '2024-01-07'), (DATE '2024-01-08')) AS t(d) GROUP BY FLOOR(d TO WEEK)
  [2023-12-31, 1, 1], [2024-01-07, 2, 2]
SEEN
)
open=(--add-opens=java.base/java.util=ALL-UNNAMED --add-opens=java.base/java.lang=ALL-UNNAMED)
seen=$(java "${open[@]}" -XX:TieredStopAtLevel=1 -cp "$work/jars/*" "$work/Run.java" "$work/queries" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
