#!/usr/bin/env bash
# Siddhi 5.1.30: of 1.5 and null a window's avg(v) is 1.5, an aggregation's 0.75, for it divides by all rows.
#
# `define aggregation` keeps sums, counts and averages per second, minute and hour while rows come. sum, min and
# max leave a null out, and so does avg over a window, here of all rows so far. The average of an aggregation is
# kept as a sum and the number of rows, and rows without a value are counted as well: the average per minute is
# lower than any value in it, below its own minimum. A group without any value has null.
#
# Guess before the run: one average for the same rows.
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
      <groupId>io.siddhi</groupId>
      <artifactId>siddhi-core</artifactId>
      <version>5.1.30</version>
      <exclusions> <!-- not on Maven Central; nothing here needs them -->
        <exclusion><groupId>org.wso2.orbit.com.lmax</groupId><artifactId>*</artifactId></exclusion>
        <exclusion><groupId>org.wso2.orbit.javax.xml.bind</groupId><artifactId>*</artifactId></exclusion>
        <exclusion><groupId>org.eclipse.osgi</groupId><artifactId>*</artifactId></exclusion>
      </exclusions>
    </dependency>
    <dependency><groupId>com.lmax</groupId><artifactId>disruptor</artifactId><version>3.4.4</version></dependency>
    <dependency><groupId>org.osgi</groupId><artifactId>org.osgi.service.component</artifactId><version>1.5.1</version></dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import io.siddhi.core.SiddhiManager;
import io.siddhi.core.event.Event;
import io.siddhi.core.query.output.callback.QueryCallback;
import java.util.Arrays;

public class Run {
  static final long MINUTE = 1577836800000L;
  static final Object[][] ROWS = {
    {MINUTE, "a", 1.5}, {MINUTE + 1000, "a", null}, {MINUTE + 2000, "b", 4.0}, {MINUTE + 3000, "a", null}, {MINUTE + 4000, "a", 2.5},
    {MINUTE + 5000, "c", null}
  };

  public static void main(String[] args) throws InterruptedException {
    var manager = new SiddhiManager();
    String columns = "k, count() as c, sum(v) as s, avg(v) as a, min(v) as low, max(v) as high group by k";
    var app = manager.createSiddhiAppRuntime(
        "@app:playback define stream S (t long, k string, v double);"
            + "define aggregation A from S select " + columns + " aggregate by t every sec...hour;"
            + "@info(name = 'q') from S#window.length(100) select " + columns + " insert into O");
    app.addCallback("q", new QueryCallback() {
      public void receive(long time, Event[] in, Event[] out) {
        System.out.println("window: " + Arrays.toString(in[0].getData()));
      }
    });
    app.start();
    for (Object[] row : ROWS) {
      app.getInputHandler("S").send((Long) row[0], row);
    }
    for (String per : new String[] {"minutes", "hours"}) {
      var rows = app.query("from A within " + MINUTE + "L, " + (MINUTE + 3_600_000) + "L per '" + per + "' select k, c, s, a, low, high order by k");
      for (Event row : rows) {
        System.out.println(per + ": " + Arrays.toString(row.getData()));
      }
    }
    System.exit(0);
  }
}
JAVA
expected='window: [a, 1, 1.5, 1.5, 1.5, 1.5]
window: [a, 2, 1.5, 1.5, 1.5, 1.5]
window: [b, 1, 4.0, 4.0, 4.0, 4.0]
window: [a, 3, 1.5, 1.5, 1.5, 1.5]
window: [a, 4, 4.0, 2.0, 1.5, 2.5]
window: [c, 1, null, null, null, null]
minutes: [a, 4, 4.0, 1.0, 1.5, 2.5]
minutes: [b, 1, 4.0, 4.0, 4.0, 4.0]
minutes: [c, 1, null, null, null, null]
hours: [a, 4, 4.0, 1.0, 1.5, 2.5]
hours: [b, 1, 4.0, 4.0, 4.0, 4.0]
hours: [c, 1, null, null, null, null]'
seen=$(java -Duser.timezone=UTC -cp "$work/jars/*" "$work/Run.java" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
