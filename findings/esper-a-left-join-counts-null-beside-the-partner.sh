#!/usr/bin/env bash
# Esper 9.0.0: a left outer join counts a row without partner on beside the partner that came.
#
# T has one row, and then U has its partner: the join has one row, as the statement's own iterator
# shows. count(*) over the same join is 2, and the sum of T.v is twice its value, for the row with null
# counts on when it gets a partner. When the partner leaves the window of U, count(*) is 1 by luck.
# If U had a partner from the start, count(*) becomes 0 when it leaves, though the join has a row
# then. A full outer join is wrong on either side: its only row has 20, and the sum is 40.
#
# Guess before the run: aggregates go over the rows that the iterator of the join shows.
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
      <groupId>com.espertech</groupId>
      <artifactId>esper-compiler</artifactId>
      <version>9.0.0</version>
    </dependency>
    <dependency>
      <groupId>com.espertech</groupId>
      <artifactId>esper-runtime</artifactId>
      <version>9.0.0</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import com.espertech.esper.common.client.EventBean;
import com.espertech.esper.common.client.configuration.Configuration;
import com.espertech.esper.compiler.client.CompilerArguments;
import com.espertech.esper.compiler.client.EPCompilerProvider;
import com.espertech.esper.runtime.client.EPRuntime;
import com.espertech.esper.runtime.client.EPRuntimeProvider;
import com.espertech.esper.runtime.client.EPStatement;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeSet;

public class Run {
  static EPStatement deploy(EPRuntime runtime, Configuration configuration, String text) throws Exception {
    var compiled = EPCompilerProvider.getCompiler().compile(text, new CompilerArguments(configuration));
    return runtime.getDeploymentService().deploy(compiled).getStatements()[0];
  }

  static String rows(Iterator<EventBean> found) {
    var rows = new TreeSet<String>();
    found.forEachRemaining(
        row -> {
          var text = new StringBuilder();
          for (String name : row.getEventType().getPropertyNames()) {
            text.append(name).append(' ').append(row.get(name)).append(' ');
          }
          rows.add(text.toString().trim());
        });
    return rows.isEmpty() ? "none" : String.join(", ", rows);
  }

  public static void main(String[] args) throws Exception {
    var configuration = new Configuration();
    Map<String, Object> columns = new HashMap<>(Map.of("k", String.class, "v", Integer.class));
    configuration.getCommon().addEventType("T", columns);
    configuration.getCommon().addEventType("U", columns);
    configuration.getRuntime().getThreading().setInternalTimerEnabled(false);
    for (String kind : new String[] {"left", "full"}) {
      for (String order : new String[] {"T a 1,U a 10,U b 20,T b 2", "U a 10,T a 1,U b 20,U a 30"}) {
        EPRuntime runtime = EPRuntimeProvider.getRuntime(kind + order, configuration);
        String from = " from T#length(1) as T " + kind + " outer join U#length(1) as U on T.k = U.k";
        var join = deploy(runtime, configuration, "select T.v as t, U.v as u" + from);
        var sums = deploy(runtime, configuration, "select count(*) as n, sum(T.v) as t, sum(U.v) as u" + from);
        System.out.println(kind + " outer join of the last T and the last U:");
        for (String step : order.split(",")) {
          String[] part = step.split(" ");
          var event = Map.<String, Object>of("k", part[1], "v", Integer.valueOf(part[2]));
          runtime.getEventService().sendEventMap(event, part[0]);
          System.out.println("  " + step + ": rows " + rows(join.iterator()) + "; sums " + rows(sums.iterator()));
        }
        runtime.destroy();
      }
    }
  }
}
JAVA
expected='left outer join of the last T and the last U:
  T a 1: rows t 1 u null; sums n 1 t 1 u null
  U a 10: rows t 1 u 10; sums n 2 t 2 u 10
  U b 20: rows t 1 u null; sums n 1 t 1 u null
  T b 2: rows t 2 u 20; sums n 1 t 2 u 20
left outer join of the last T and the last U:
  U a 10: rows none; sums n 0 t null u null
  T a 1: rows t 1 u 10; sums n 1 t 1 u 10
  U b 20: rows t 1 u null; sums n 0 t null u null
  U a 30: rows t 1 u 30; sums n 1 t 1 u 30
full outer join of the last T and the last U:
  T a 1: rows t 1 u null; sums n 1 t 1 u null
  U a 10: rows t 1 u 10; sums n 2 t 2 u 10
  U b 20: rows t 1 u null, t null u 20; sums n 2 t 1 u 20
  T b 2: rows t 2 u 20; sums n 2 t 2 u 40
full outer join of the last T and the last U:
  U a 10: rows t null u 10; sums n 1 t null u 10
  T a 1: rows t 1 u 10; sums n 2 t 1 u 20
  U b 20: rows t 1 u null, t null u 20; sums n 2 t null u 30
  U a 30: rows t 1 u 30; sums n 2 t 1 u 40'
seen=$(java -cp "$work/jars/*" "$work/Run.java" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
