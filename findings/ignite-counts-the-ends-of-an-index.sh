#!/usr/bin/env bash
# Ignite 2.17.0 (its Calcite engine): `SELECT min(i), count(*)` of 100 rows counts fewer than ten.
#
# If one aggregate of a query is the minimum or maximum of an indexed column, the engine reads only
# the ends of the index. That is enough for the extreme. It is not for count(*), sum and avg in the
# same SELECT, which are then those of the few rows read. Two extremes of the column, a WHERE that
# needs another column, or one more aggregate beside two others bring all rows back. Each table has
# such an index: that of its primary key.
#
# Guess before the run: count(*) is 100, whatever stands beside it.
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
      <groupId>org.apache.ignite</groupId>
      <artifactId>ignite-calcite</artifactId>
      <version>2.17.0</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import java.util.List;
import org.apache.ignite.Ignition;
import org.apache.ignite.cache.query.SqlFieldsQuery;
import org.apache.ignite.calcite.CalciteQueryEngineConfiguration;
import org.apache.ignite.configuration.IgniteConfiguration;
import org.apache.ignite.configuration.SqlConfiguration;
import org.apache.ignite.spi.discovery.tcp.TcpDiscoverySpi;
import org.apache.ignite.spi.discovery.tcp.ipfinder.vm.TcpDiscoveryVmIpFinder;

public class Run {
  public static void main(String[] args) throws Exception {
    var engine = new CalciteQueryEngineConfiguration().setDefault(true);
    var configuration =
        new IgniteConfiguration()
            .setSqlConfiguration(new SqlConfiguration().setQueryEnginesConfiguration(engine))
            .setWorkDirectory(args[0])
            .setLocalHost("127.0.0.1")
            .setDiscoverySpi(new TcpDiscoverySpi().setIpFinder(new TcpDiscoveryVmIpFinder(true)));
    var out = System.out;
    System.setOut(System.err);
    try (var ignite = Ignition.start(configuration)) {
      var cache = ignite.getOrCreateCache("any");
      run(cache, "CREATE TABLE t (i INT PRIMARY KEY, one INT)");
      for (int i = 1; i <= 100; i++) {
        run(cache, "INSERT INTO t (i, one) VALUES (" + i + ", 1)");
      }
      for (String list :
          List.of(
              "count(*)",
              "min(i)",
              "min(i), count(*)",
              "max(i), sum(one)",
              "min(i), avg(i)",
              "min(i), max(i), count(*)",
              "min(i), count(*), sum(one)",
              "count(*), min(i)")) {
        var row = run(cache, "SELECT " + list + " FROM t").get(0);
        var shown = row.stream().map(v -> String.valueOf(((Number) v).intValue())).toList();
        out.println(list + ": " + String.join(", ", shown));
      }
    }
    System.exit(0);
  }

  static List<List<?>> run(org.apache.ignite.IgniteCache<?, ?> cache, String text) {
    return cache.query(new SqlFieldsQuery(text).setSchema("PUBLIC")).getAll();
  }
}
JAVA
expected='count(*): 100
min(i): 1
min(i), count(*): 1, 2
max(i), sum(one): 100, 2
min(i), avg(i): 1, 1
min(i), max(i), count(*): 1, 100, 100
min(i), count(*), sum(one): 1, 2, 2
count(*), min(i): 2, 100'
opens=()
for package in java.base/{jdk.internal.{access,misc},sun.nio.ch,sun.util.calendar,java.{io,lang,lang.invoke,math,net,nio,time,util}} \
  java.base/java.util.concurrent{,.atomic,.locks} java.sql/java.sql java.management/com.sun.jmx.mbeanserver jdk.management/com.sun.management.internal; do
  opens+=(--add-opens "$package=ALL-UNNAMED")
done
seen=$(java "${opens[@]}" -DIGNITE_UPDATE_NOTIFIER=false -cp "$work/jars/*" "$work/Run.java" "$work/home" 2>"$work/errors") ||
  { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
