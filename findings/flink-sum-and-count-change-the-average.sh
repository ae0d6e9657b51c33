#!/usr/bin/env bash
# Flink 2.3.0: avg of 2147483647 and 2147483645 is -2 if sum and count stand in the same SELECT.
#
# Alone, or beside one of the two, avg adds ints in a wider type, and is right. A bigint has none,
# and avg wraps alone. Beside both, or beside a variance or deviation, it is computed as the sum by
# the count, and that sum has the column's type and wraps without an error. So a column added to a
# summary changes another one, and an average is less than its least value. The variance of whole
# numbers is whole as well: that of 1, 2 and 2 is 0, and of the same numbers as doubles 0.22.
#
# Guess before the run: what avg returns does not depend on its neighbours.
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
SELECT avg(v) FROM (VALUES (2147483647), (2147483645)) AS t(v)
SELECT avg(v), count(v) FROM (VALUES (2147483647), (2147483645)) AS t(v)
SELECT avg(v), sum(v) FROM (VALUES (2147483647), (2147483645)) AS t(v)
SELECT avg(v), sum(v), count(v) FROM (VALUES (2147483647), (2147483645)) AS t(v)
SELECT avg(v), var_pop(v) FROM (VALUES (2147483647), (2147483645)) AS t(v)
SELECT avg(v), stddev_samp(v) FROM (VALUES (CAST(100 AS TINYINT)), (CAST(110 AS TINYINT))) AS t(v)
SELECT avg(v), sum(v), count(v) FROM (VALUES (CAST(9223372036854775807 AS BIGINT)), (CAST(9223372036854775805 AS BIGINT))) AS t(v)
SELECT avg(v) FROM (VALUES (CAST(9223372036854775807 AS BIGINT)), (CAST(9223372036854775805 AS BIGINT))) AS t(v)
SELECT var_pop(v), var_samp(v), stddev_pop(v), var_pop(CAST(v AS DOUBLE)) FROM (VALUES (1), (2), (2)) AS t(v)
SQL
expected=$(cat <<'SEEN'
SELECT avg(v) FROM (VALUES (2147483647), (2147483645)) AS t(v)
  [2147483646]
SELECT avg(v), count(v) FROM (VALUES (2147483647), (2147483645)) AS t(v)
  [2147483646, 2]
SELECT avg(v), sum(v) FROM (VALUES (2147483647), (2147483645)) AS t(v)
  [2147483646, -4]
SELECT avg(v), sum(v), count(v) FROM (VALUES (2147483647), (2147483645)) AS t(v)
  [-2, -4, 2]
SELECT avg(v), var_pop(v) FROM (VALUES (2147483647), (2147483645)) AS t(v)
  [-2, 1]
SELECT avg(v), stddev_samp(v) FROM (VALUES (CAST(100 AS TINYINT)), (CAST(110 AS TINYINT))) AS t(v)
  [-23, 7]
SELECT avg(v), sum(v), count(v) FROM (VALUES (CAST(9223372036854775807 AS BIGINT)), (CAST(9223372036854775805 AS BIGINT))) AS t(v)
  [-2, -4, 2]
SELECT avg(v) FROM (VALUES (CAST(9223372036854775807 AS BIGINT)), (CAST(9223372036854775805 AS BIGINT))) AS t(v)
  [-2]
SELECT var_pop(v), var_samp(v), stddev_pop(v), var_pop(CAST(v AS DOUBLE)) FROM (VALUES (1), (2), (2)) AS t(v)
  [0, 0, 0, 0.2222222222222222]
SEEN
)
open=(--add-opens=java.base/java.util=ALL-UNNAMED --add-opens=java.base/java.lang=ALL-UNNAMED)
seen=$(java "${open[@]}" -XX:TieredStopAtLevel=1 -cp "$work/jars/*" "$work/Run.java" "$work/queries" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
