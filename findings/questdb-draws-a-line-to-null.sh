#!/usr/bin/env bash
# QuestDB 9.3.4: FILL(LINEAR) between 10 and null is -1073741819, and for a long -4611686018427387904.
#
# SAMPLE BY 1h FILL(LINEAR) puts values on a line between those before and after an hour without
# rows. An hour whose rows are all null has a null sum. QuestDB stores null of INT and LONG as their
# smallest number, and draws the line to that: it makes up values that no row has, on both sides of
# the null. Such an hour itself stays null. For DOUBLE, and so for avg, the line to a null is null.
#
# Guess before the run: null, or the line from 10 to 30.
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
      <groupId>org.questdb</groupId>
      <artifactId>questdb</artifactId>
      <version>9.3.4</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import io.questdb.cairo.CairoEngine;
import io.questdb.cairo.ColumnType;
import io.questdb.cairo.DefaultCairoConfiguration;
import io.questdb.cairo.security.AllowAllSecurityContext;
import io.questdb.griffin.SqlExecutionContextImpl;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

public class Run {
  public static void main(String[] args) throws Exception {
    try (var out = new PrintStream(args[2]);
        var engine = new CairoEngine(new DefaultCairoConfiguration(args[1]))) {
      var context = new SqlExecutionContextImpl(engine, 1);
      context.with(AllowAllSecurityContext.INSTANCE, null);
      for (String line : Files.readAllLines(Path.of(args[0]))) {
        if (!line.startsWith("SELECT")) {
          engine.execute(line, context);
          continue;
        }
        List<String> rows = new ArrayList<>();
        try (var factory = engine.select(line, context);
            var cursor = factory.getCursor(context)) {
          var record = cursor.getRecord();
          while (cursor.hasNext()) {
            List<String> row = new ArrayList<>();
            for (int i = 0; i < factory.getMetadata().getColumnCount(); i++) {
              row.add(
                  switch (ColumnType.tagOf(factory.getMetadata().getColumnType(i))) {
                    case ColumnType.INT -> text(record.getInt(i), Integer.MIN_VALUE);
                    case ColumnType.LONG -> text(record.getLong(i), Long.MIN_VALUE);
                    case ColumnType.DOUBLE -> text(record.getDouble(i), Double.NaN);
                    default -> throw new AssertionError();
                  });
            }
            rows.add(String.join(" ", row));
          }
        }
        out.println(line + ": " + (rows.isEmpty() ? "no rows" : String.join(", ", rows)));
      }
    }
    System.exit(0);
  }

  static String text(Object value, Object none) {
    return value.equals(none) ? "null" : value.toString();
  }
}
JAVA
cat >"$work/queries" <<'SQL'
CREATE TABLE t (ts TIMESTAMP, n INT, l LONG, d DOUBLE) TIMESTAMP(ts)
INSERT INTO t VALUES ('2024-01-01T00:00', 10, 10, 10), ('2024-01-01T04:00', 30, 30, 30)
CREATE TABLE u (ts TIMESTAMP, n INT, l LONG, d DOUBLE) TIMESTAMP(ts)
INSERT INTO u VALUES ('2024-01-01T00:00', 10, 10, 10), ('2024-01-01T02:00', null, null, null), ('2024-01-01T04:00', 30, 30, 30)
SELECT min(n) FROM t SAMPLE BY 1h FILL(LINEAR)
SELECT min(n) FROM u SAMPLE BY 1h
SELECT min(n) FROM u SAMPLE BY 1h FILL(LINEAR)
SELECT sum(n) FROM u SAMPLE BY 1h FILL(LINEAR)
SELECT max(l) FROM u SAMPLE BY 1h FILL(LINEAR)
SELECT max(d) FROM u SAMPLE BY 1h FILL(LINEAR)
SELECT avg(n) FROM u SAMPLE BY 1h FILL(LINEAR)
SQL
expected='SELECT min(n) FROM t SAMPLE BY 1h FILL(LINEAR): 10, 15, 20, 25, 30
SELECT min(n) FROM u SAMPLE BY 1h: 10, null, 30
SELECT min(n) FROM u SAMPLE BY 1h FILL(LINEAR): 10, -1073741819, null, -1073741809, 30
SELECT sum(n) FROM u SAMPLE BY 1h FILL(LINEAR): 10, -4611686018427387904, null, -4611686018427387904, 30
SELECT max(l) FROM u SAMPLE BY 1h FILL(LINEAR): 10, -4611686018427387904, null, -4611686018427387904, 30
SELECT max(d) FROM u SAMPLE BY 1h FILL(LINEAR): 10.0, null, null, null, 30.0
SELECT avg(n) FROM u SAMPLE BY 1h FILL(LINEAR): 10.0, null, null, null, 30.0'
mkdir "$work/data"
java -cp "$work/jars/*" "$work/Run.java" "$work/queries" "$work/data" "$work/seen" >"$work/log" 2>&1 ||
  { tail -5 "$work/log"; exit 1; }
seen=$(<"$work/seen")
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
