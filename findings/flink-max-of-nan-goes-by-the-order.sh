#!/usr/bin/env bash
# Flink 2.3.0: max and min of NaN, 1 and 2 are NaN, and those of 1, NaN and 2 are 2 and 1.
#
# In max and min Flink keeps the first value until another one is greater or less. Nothing is
# greater or less than NaN: if it comes first it stays, later it is passed over. So an aggregate of
# the same rows depends on their order, in a batch as well, where no order is promised. GROUP BY
# takes NaN for equal to itself, a join does not, and NaN > 0 is false. Spark takes NaN for the
# largest number.
#
# Guess before the run: max and min do not depend on the order of rows.
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
SELECT max(v), min(v) FROM (VALUES (CAST('NaN' AS DOUBLE)), (CAST(1 AS DOUBLE)), (CAST(2 AS DOUBLE))) AS t(v)
SELECT max(v), min(v) FROM (VALUES (CAST(1 AS DOUBLE)), (CAST('NaN' AS DOUBLE)), (CAST(2 AS DOUBLE))) AS t(v)
SELECT max(v), min(v) FROM (VALUES (CAST(1 AS DOUBLE)), (CAST(2 AS DOUBLE)), (CAST('NaN' AS DOUBLE))) AS t(v)
SELECT v, count(*) FROM (VALUES (CAST('NaN' AS DOUBLE)), (CAST('NaN' AS DOUBLE)), (CAST(1 AS DOUBLE))) AS t(v) GROUP BY v
SELECT v, w FROM (VALUES (CAST(1 AS DOUBLE)), (CAST('NaN' AS DOUBLE))) AS t(v) JOIN (VALUES (CAST(1 AS DOUBLE)), (CAST('NaN' AS DOUBLE))) AS u(w) ON v = w
SQL
expected=$(cat <<'SEEN'
SELECT max(v), min(v) FROM (VALUES (CAST('NaN' AS DOUBLE)), (CAST(1 AS DOUBLE)), (CAST(2 AS DOUBLE))) AS t(v)
  [NaN, NaN]
SELECT max(v), min(v) FROM (VALUES (CAST(1 AS DOUBLE)), (CAST('NaN' AS DOUBLE)), (CAST(2 AS DOUBLE))) AS t(v)
  [2.0, 1.0]
SELECT max(v), min(v) FROM (VALUES (CAST(1 AS DOUBLE)), (CAST(2 AS DOUBLE)), (CAST('NaN' AS DOUBLE))) AS t(v)
  [2.0, 1.0]
SELECT v, count(*) FROM (VALUES (CAST('NaN' AS DOUBLE)), (CAST('NaN' AS DOUBLE)), (CAST(1 AS DOUBLE))) AS t(v) GROUP BY v
  [1.0, 1], [NaN, 2]
SELECT v, w FROM (VALUES (CAST(1 AS DOUBLE)), (CAST('NaN' AS DOUBLE))) AS t(v) JOIN (VALUES (CAST(1 AS DOUBLE)), (CAST('NaN' AS DOUBLE))) AS u(w) ON v = w
  [1.0, 1.0]
SEEN
)
open=(--add-opens=java.base/java.util=ALL-UNNAMED --add-opens=java.base/java.lang=ALL-UNNAMED)
seen=$(java "${open[@]}" -XX:TieredStopAtLevel=1 -cp "$work/jars/*" "$work/Run.java" "$work/queries" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
