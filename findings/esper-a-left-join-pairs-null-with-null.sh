#!/usr/bin/env bash
# Esper 9.0.0: an inner join leaves null alone, and a left join pairs null with null.
#
# T.k = U.k is null where both are null: an inner join has no such pair, and select shows null. Left,
# right and full outer joins on the same condition have the pair, and so has a subquery by u.k = T.k,
# which finds the U without a key for the T without one. So a left join has pairs that the inner join
# lacks. Further, `v is not 1` is false for null if v is a double, where `v is not 1.0` is true.
#
# Guess before the run: a left join adds rows with null to those of the inner join, and no pairs.
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
import com.espertech.esper.common.client.configuration.Configuration;
import com.espertech.esper.compiler.client.CompilerArguments;
import com.espertech.esper.compiler.client.EPCompilerProvider;
import com.espertech.esper.runtime.client.EPRuntimeProvider;
import com.espertech.esper.runtime.client.EPStatement;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

public class Run {
  public static void main(String[] args) throws Exception {
    var configuration = new Configuration();
    for (String type : new String[] {"T", "U"}) {
      configuration
          .getCommon()
          .addEventType(type, new HashMap<>(Map.of("id", Integer.class, "k", String.class, "v", Double.class)));
    }
    configuration.getRuntime().getThreading().setInternalTimerEnabled(false);
    String pair = "select T.id as t, U.id as u from T#keepall as T";
    for (String text :
        new String[] {
          pair + " inner join U#keepall as U on T.k = U.k",
          pair + ", U#keepall as U where T.k = U.k",
          pair + " left outer join U#keepall as U on T.k = U.k",
          pair + " right outer join U#keepall as U on T.k = U.k",
          "select id, (select id from U#keepall as u where u.k = T.k) as u from T#keepall as T",
          "select id, k = null as equal, v is not 1.0 as isNot1_0, v is not 1 as isNot1 from T#keepall",
        }) {
      var runtime = EPRuntimeProvider.getRuntime(text, configuration);
      var compiled = EPCompilerProvider.getCompiler().compile(text, new CompilerArguments(configuration));
      EPStatement statement = runtime.getDeploymentService().deploy(compiled).getStatements()[0];
      for (String step : new String[] {"U 1 -", "U 2 a", "T 1 -", "T 2 a", "T 3 b"}) {
        String[] part = step.split(" ");
        var event = new HashMap<String, Object>();
        event.put("id", Integer.valueOf(part[1]));
        event.put("k", part[2].equals("-") ? null : part[2]);
        event.put("v", part[2].equals("-") ? null : 1.0);
        runtime.getEventService().sendEventMap(event, part[0]);
      }
      var rows = new TreeSet<String>();
      statement.iterator().forEachRemaining(row -> {
        var shown = new StringBuilder();
        for (String name : row.getEventType().getPropertyNames()) {
          shown.append(name).append(' ').append(row.get(name)).append(' ');
        }
        rows.add(shown.toString().trim());
      });
      System.out.println(text + ": " + String.join(", ", rows));
      runtime.destroy();
    }
  }
}
JAVA
expected='select T.id as t, U.id as u from T#keepall as T inner join U#keepall as U on T.k = U.k: t 2 u 2
select T.id as t, U.id as u from T#keepall as T, U#keepall as U where T.k = U.k: t 2 u 2
select T.id as t, U.id as u from T#keepall as T left outer join U#keepall as U on T.k = U.k: t 1 u 1, t 2 u 2, t 3 u null
select T.id as t, U.id as u from T#keepall as T right outer join U#keepall as U on T.k = U.k: t 1 u 1, t 2 u 2
select id, (select id from U#keepall as u where u.k = T.k) as u from T#keepall as T: id 1 u 1, id 2 u 2, id 3 u null
select id, k = null as equal, v is not 1.0 as isNot1_0, v is not 1 as isNot1 from T#keepall: id 1 equal null isNot1_0 true isNot1 false, id 2 equal null isNot1_0 false isNot1 false, id 3 equal null isNot1_0 false isNot1 false'
seen=$(java -cp "$work/jars/*" "$work/Run.java" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
