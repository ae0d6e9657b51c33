#!/usr/bin/env bash
# Hazelcast 5.7.0: in ON, NOT EXISTS of a correlated subquery is false for every row.
#
# The row 2 has no partner in c, so NOT EXISTS (SELECT 1 FROM c WHERE c.k = a.i) is true for it: in
# WHERE it is. As a part of ON, an inner join loses the row, and a left join puts null where there is
# a partner, also where the subquery can have no row at all. EXISTS is right in both places.
#
# Guess before the run: for an inner join, ON and WHERE are one; or an error that ON takes none.
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
      <groupId>com.hazelcast</groupId>
      <artifactId>hazelcast-sql</artifactId>
      <version>5.7.0</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.sql.SqlRow;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

public class Run {
  public static void main(String[] args) throws Exception {
    var config = new Config().setProperty("hazelcast.logging.type", "none");
    config.getJetConfig().setEnabled(true);
    config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
    config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    var out = System.out;
    System.setOut(System.err);
    var sql = Hazelcast.newHazelcastInstance(config).getSql();
    for (String line : Files.readAllLines(Path.of(args[0]))) {
      List<String> rows = new ArrayList<>();
      try (var result = sql.execute(line)) {
        if (!result.isRowSet()) {
          continue;
        }
        for (SqlRow row : result) {
          rows.add(row.getObject(0) + " " + row.getObject(1));
        }
      }
      Collections.sort(rows);
      out.println(line + ": " + (rows.isEmpty() ? "no rows" : String.join(", ", rows)));
    }
    System.exit(0);
  }
}
JAVA
{
  for table in 'a i' 'b j' 'c k'; do
    read -r name column <<<"$table"
    echo "CREATE MAPPING $name (__key INT, $column INT) TYPE IMap OPTIONS ('keyFormat' = 'int', 'valueFormat' = 'compact', 'valueCompactTypeName' = '$name')"
  done
  cat <<'SQL'
INSERT INTO a VALUES (1, 1), (2, 2), (3, 3)
INSERT INTO b VALUES (1, 1), (2, 2)
INSERT INTO c VALUES (1, 1)
SELECT a.i, b.j FROM a JOIN b ON a.i = b.j WHERE NOT EXISTS (SELECT 1 FROM c WHERE c.k = a.i)
SELECT a.i, b.j FROM a JOIN b ON a.i = b.j AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = a.i)
SELECT a.i, b.j FROM a LEFT JOIN b ON a.i = b.j
SELECT a.i, b.j FROM a LEFT JOIN b ON a.i = b.j AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = a.i)
SELECT a.i, b.j FROM a LEFT JOIN b ON a.i = b.j AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = a.i AND c.k > 5)
SELECT a.i, b.j FROM a LEFT JOIN b ON a.i = b.j AND EXISTS (SELECT 1 FROM c WHERE c.k = a.i)
SQL
} >"$work/queries"
expected='SELECT a.i, b.j FROM a JOIN b ON a.i = b.j WHERE NOT EXISTS (SELECT 1 FROM c WHERE c.k = a.i): 2 2
SELECT a.i, b.j FROM a JOIN b ON a.i = b.j AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = a.i): no rows
SELECT a.i, b.j FROM a LEFT JOIN b ON a.i = b.j: 1 1, 2 2, 3 null
SELECT a.i, b.j FROM a LEFT JOIN b ON a.i = b.j AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = a.i): 1 null, 2 null, 3 null
SELECT a.i, b.j FROM a LEFT JOIN b ON a.i = b.j AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = a.i AND c.k > 5): 1 null, 2 null, 3 null
SELECT a.i, b.j FROM a LEFT JOIN b ON a.i = b.j AND EXISTS (SELECT 1 FROM c WHERE c.k = a.i): 1 1, 2 null, 3 null'
seen=$(java -cp "$work/jars/*" "$work/Run.java" "$work/queries" 2>"$work/errors") ||
  { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
