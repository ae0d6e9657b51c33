#!/usr/bin/env bash
# Flink 2.3.0: TRY_CAST of 300 to TINYINT is 44, not null, and TRY_CAST of NaN to INT is 0.
#
# TRY_CAST is the cast that gives null where CAST fails. For a text, or a number that is too large
# for a decimal, it does. Between numbers CAST does not fail: whole numbers lose their upper bits, a
# double becomes the nearest number that fits, and NaN becomes 0. TRY_CAST then returns these. So
# the value 300 is null as a text, and 44 as a number.
#
# Guess before the run: null for each value that the type cannot hold.
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
SELECT v, TRY_CAST(v AS TINYINT), TRY_CAST(CAST(v AS STRING) AS TINYINT), TRY_CAST(v AS DECIMAL(4, 2)) FROM (VALUES (90), (200), (300)) AS t(v)
SELECT v, TRY_CAST(v AS INT), TRY_CAST(CAST(v AS STRING) AS INT) FROM (VALUES (CAST(1 AS DOUBLE)), (CAST('NaN' AS DOUBLE)), (CAST(1e10 AS DOUBLE))) AS t(v)
SELECT v, TRY_CAST(v AS INT) FROM (VALUES (CAST(4294967297 AS BIGINT)), (CAST(2147483648 AS BIGINT))) AS t(v)
SQL
expected=$(cat <<'SEEN'
SELECT v, TRY_CAST(v AS TINYINT), TRY_CAST(CAST(v AS STRING) AS TINYINT), TRY_CAST(v AS DECIMAL(4, 2)) FROM (VALUES (90), (200), (300)) AS t(v)
  [200, -56, null, null], [300, 44, null, null], [90, 90, 90, 90.00]
SELECT v, TRY_CAST(v AS INT), TRY_CAST(CAST(v AS STRING) AS INT) FROM (VALUES (CAST(1 AS DOUBLE)), (CAST('NaN' AS DOUBLE)), (CAST(1e10 AS DOUBLE))) AS t(v)
  [1.0, 1, 1], [1.0E10, 2147483647, null], [NaN, 0, null]
SELECT v, TRY_CAST(v AS INT) FROM (VALUES (CAST(4294967297 AS BIGINT)), (CAST(2147483648 AS BIGINT))) AS t(v)
  [2147483648, -2147483648], [4294967297, 1]
SEEN
)
open=(--add-opens=java.base/java.util=ALL-UNNAMED --add-opens=java.base/java.lang=ALL-UNNAMED)
seen=$(java "${open[@]}" -XX:TieredStopAtLevel=1 -cp "$work/jars/*" "$work/Run.java" "$work/queries" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
