#!/usr/bin/env bash
# Flink 2.3.0: '2023-02-29 10:00:00' is 28 February as a TIMESTAMP, and null as a DATE.
#
# A text with a day that its month does not have is null for TO_DATE and for TRY_CAST to DATE. For
# TO_TIMESTAMP and TRY_CAST to TIMESTAMP it is the last day of that month, with no error. A 32nd is
# null in both. So two columns made of one text contradict each other, and wrong days gather at the
# ends of short months.
#
# Guess before the run: what is no date is no timestamp.
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
SELECT s, TO_TIMESTAMP(s), TO_DATE(s) FROM (VALUES ('2024-02-29 10:00:00'), ('2023-02-29 10:00:00'), ('2024-04-31 10:00:00'), ('2024-04-32 10:00:00')) AS t(s)
SELECT s, TRY_CAST(s AS TIMESTAMP(3)), TRY_CAST(s AS DATE) FROM (VALUES ('2024-02-29 10:00:00'), ('2023-02-29 10:00:00'), ('2024-04-31 10:00:00'), ('2024-04-32 10:00:00')) AS t(s)
SQL
expected=$(cat <<'SEEN'
SELECT s, TO_TIMESTAMP(s), TO_DATE(s) FROM (VALUES ('2024-02-29 10:00:00'), ('2023-02-29 10:00:00'), ('2024-04-31 10:00:00'), ('2024-04-32 10:00:00')) AS t(s)
  [2023-02-29 10:00:00, 2023-02-28T10:00, null], [2024-02-29 10:00:00, 2024-02-29T10:00, 2024-02-29], [2024-04-31 10:00:00, 2024-04-30T10:00, null], [2024-04-32 10:00:00, null, null]
SELECT s, TRY_CAST(s AS TIMESTAMP(3)), TRY_CAST(s AS DATE) FROM (VALUES ('2024-02-29 10:00:00'), ('2023-02-29 10:00:00'), ('2024-04-31 10:00:00'), ('2024-04-32 10:00:00')) AS t(s)
  [2023-02-29 10:00:00, 2023-02-28T10:00, null], [2024-02-29 10:00:00, 2024-02-29T10:00, 2024-02-29], [2024-04-31 10:00:00, 2024-04-30T10:00, null], [2024-04-32 10:00:00, null, null]
SEEN
)
open=(--add-opens=java.base/java.util=ALL-UNNAMED --add-opens=java.base/java.lang=ALL-UNNAMED)
seen=$(java "${open[@]}" -XX:TieredStopAtLevel=1 -cp "$work/jars/*" "$work/Run.java" "$work/queries" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
