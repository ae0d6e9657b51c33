#!/usr/bin/env bash
# Siddhi 5.1.30: in a window of the two smallest rows, 0.5 and 1.0, count is 2, sum 1.5, and max 0.5.
#
# sort(2, v) keeps the two rows with the smallest v, and each further row pushes one out, often itself. A query
# with `insert all events` shows the aggregates after that. count, sum, avg and distinctCount follow the window.
# max and min keep a list of candidates and drop from it what a newer row beats, which is right only if rows leave
# in the order in which they came. Here the newest leaves first: the candidates it beat are still in the window
# and are gone from the list, so that the extreme is null or another row's. The two largest behave the same way,
# and so does a session window by key, where b's session ends first and takes the 2.0 of a with it. Windows by length and
# time are right.
#
# Guess before the run: the extremes of the rows that are in the window, as sum has their sum.
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
  static final Object[][] ROWS = {{1L, "a", 1.0}, {2L, "a", 2.0}, {3L, "a", 3.0}, {4L, "a", 0.5}, {5L, "a", 1.5}, {6L, "a", 6.0}};
  static final Object[][] SESSIONS = {{1000L, "a", 2.0}, {1400L, "b", 3.0}, {1900L, "a", 0.5}, {2500L, "a", 0.25}};

  static void run(String window, Object[][] rows) throws InterruptedException {
    System.out.println(window);
    var manager = new SiddhiManager();
    var app = manager.createSiddhiAppRuntime(
        "@app:playback define stream S (t long, k string, v double); @info(name = 'q') from S#window." + window
            + " select count() as c, sum(v) as s, min(v) as low, max(v) as high insert all events into O");
    app.addCallback("q", new QueryCallback() {
      public void receive(long time, Event[] in, Event[] out) {
        for (Event[] events : new Event[][] {in, out}) {
          if (events != null) {
            Object[] d = events[events.length - 1].getData();
            System.out.println("    " + (events == in ? "in" : "out") + ": count " + d[0] + " sum " + d[1] + " min " + d[2] + " max " + d[3]);
          }
        }
      }
    });
    app.start();
    for (Object[] row : rows) {
      System.out.println("  " + Arrays.toString(row));
      app.getInputHandler("S").send((Long) row[0], row);
      Thread.sleep(50);
    }
    app.shutdown();
    manager.shutdown();
  }

  public static void main(String[] args) throws InterruptedException {
    run("sort(2, v)", ROWS);
    run("sort(2, v, 'desc')", ROWS);
    run("length(2)", ROWS);
    run("session(1 sec, k)", SESSIONS);
    System.exit(0);
  }
}
JAVA
expected="sort(2, v)
  [1, a, 1.0]
    in: count 1 sum 1.0 min 1.0 max 1.0
  [2, a, 2.0]
    in: count 2 sum 3.0 min 1.0 max 2.0
  [3, a, 3.0]
    out: count 2 sum 3.0 min 1.0 max null
  [4, a, 0.5]
    out: count 2 sum 1.5 min 0.5 max 0.5
  [5, a, 1.5]
    out: count 2 sum 1.5 min 0.5 max null
  [6, a, 6.0]
    out: count 2 sum 1.5 min 0.5 max null
sort(2, v, 'desc')
  [1, a, 1.0]
    in: count 1 sum 1.0 min 1.0 max 1.0
  [2, a, 2.0]
    in: count 2 sum 3.0 min 1.0 max 2.0
  [3, a, 3.0]
    out: count 2 sum 5.0 min 2.0 max 3.0
  [4, a, 0.5]
    out: count 2 sum 5.0 min null max 3.0
  [5, a, 1.5]
    out: count 2 sum 5.0 min null max 3.0
  [6, a, 6.0]
    out: count 2 sum 9.0 min 6.0 max 6.0
length(2)
  [1, a, 1.0]
    in: count 1 sum 1.0 min 1.0 max 1.0
  [2, a, 2.0]
    in: count 2 sum 3.0 min 1.0 max 2.0
  [3, a, 3.0]
    in: count 2 sum 5.0 min 2.0 max 3.0
  [4, a, 0.5]
    in: count 2 sum 3.5 min 0.5 max 3.0
  [5, a, 1.5]
    in: count 2 sum 2.0 min 0.5 max 1.5
  [6, a, 6.0]
    in: count 2 sum 7.5 min 1.5 max 6.0
session(1 sec, k)
  [1000, a, 2.0]
    in: count 1 sum 2.0 min 2.0 max 2.0
  [1400, b, 3.0]
    in: count 2 sum 5.0 min 2.0 max 3.0
  [1900, a, 0.5]
    in: count 3 sum 5.5 min 0.5 max 3.0
  [2500, a, 0.25]
    out: count 2 sum 2.5 min 0.5 max 0.5
    in: count 3 sum 2.75 min 0.25 max 0.5"
seen=$(java -Duser.timezone=UTC -cp "$work/jars/*" "$work/Run.java" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
