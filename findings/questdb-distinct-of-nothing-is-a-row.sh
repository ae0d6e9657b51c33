#!/usr/bin/env bash
# QuestDB 9.3.4: `SELECT DISTINCT 5 FROM t WHERE i > 9` has a row where no row has i > 9.
#
# DISTINCT takes rows away, and adds none. If a SELECT has constants only, QuestDB gives them once and
# looks at no row: neither a filter nor an empty table is of any effect. So the usual question whether
# any row is there, SELECT DISTINCT 1 FROM ..., is always answered with yes. GROUP BY, a column
# beside the constant, and no DISTINCT at all have no row.
#
# Guess before the run: no rows.
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
CREATE TABLE t (i INT)
INSERT INTO t VALUES (1), (2), (2)
CREATE TABLE nothing (i INT)
SELECT 5 AS a FROM t WHERE i > 9
SELECT DISTINCT 5 AS a FROM t WHERE i > 9
SELECT DISTINCT 5 AS a, 6 AS b FROM t WHERE i > 9
SELECT DISTINCT 5 AS a, i FROM t WHERE i > 9
SELECT 5 AS a FROM t WHERE i > 9 GROUP BY a
SELECT DISTINCT 5 AS a FROM nothing
SELECT count() FROM (SELECT DISTINCT 5 AS a FROM nothing)
SQL
expected='SELECT 5 AS a FROM t WHERE i > 9: no rows
SELECT DISTINCT 5 AS a FROM t WHERE i > 9: 5
SELECT DISTINCT 5 AS a, 6 AS b FROM t WHERE i > 9: 5 6
SELECT DISTINCT 5 AS a, i FROM t WHERE i > 9: no rows
SELECT 5 AS a FROM t WHERE i > 9 GROUP BY a: no rows
SELECT DISTINCT 5 AS a FROM nothing: 5
SELECT count() FROM (SELECT DISTINCT 5 AS a FROM nothing): 1'
mkdir "$work/data"
java -cp "$work/jars/*" "$work/Run.java" "$work/queries" "$work/data" "$work/seen" >"$work/log" 2>&1 ||
  { tail -5 "$work/log"; exit 1; }
seen=$(<"$work/seen")
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
