#!/usr/bin/env bash
# Kafka Streams 4.4.0: the session of 0 s is final with the sum 1, and its record is in the session of 0 to 13 s too.
#
# Sessions with a gap of 5 s and a grace of 10 s. At 20 s the session of 0 s has ended for good, and suppress()
# sends it as a final result. A record of 4 s is late but not too late, by the rule of the documentation: it joins
# the session that ends at 13 s, which is still open. It also joins the closed session, whose record comes into the
# open one. No null comes for the closed session, as it does for each other session that is merged: a table of
# sessions, or a sum over all, has that record twice, and both are final. onWindowClose, the other way to final
# results, leaves the closed session alone: 4 to 13 s with 1110. With a grace of 20 s nothing has been final at that
# time, the merged sessions are taken back, and there is one final result.
#
# Guess before the run: what is final stays as it is, and each record is in one session.
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
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka-streams-test-utils</artifactId>
      <version>4.4.0</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.*;
import org.apache.kafka.streams.state.SessionStore;

public class Run {
  static final Object[][] RECORDS = {{"a", 1L, 0}, {"a", 10L, 9}, {"a", 100L, 13}, {"b", 5L, 20}, {"a", 1000L, 4}, {"b", 5L, 60}};

  static void run(int grace, String how) {
    System.out.println("grace " + grace + " s, " + how);
    var builder = new StreamsBuilder();
    var sums = builder.stream("in", Consumed.with(Serdes.String(), Serdes.Long()))
        .groupByKey(Grouped.with(Serdes.String(), Serdes.Long()))
        .windowedBy(SessionWindows.ofInactivityGapAndGrace(Duration.ofSeconds(5), Duration.ofSeconds(grace)))
        .emitStrategy(how.equals("onWindowClose") ? EmitStrategy.onWindowClose() : EmitStrategy.onWindowUpdate())
        .reduce(Long::sum, Materialized.<String, Long, SessionStore<Bytes, byte[]>>with(Serdes.String(), Serdes.Long()));
    if (how.equals("suppress")) {
      sums = sums.suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()));
    }
    sums.toStream()
        .map((k, v) -> KeyValue.pair(k.key() + " " + k.window().start() / 1000 + "-" + k.window().end() / 1000, v))
        .to("out", Produced.with(Serdes.String(), Serdes.Long()));
    var settings = new Properties();
    settings.put("application.id", "finding");
    settings.put("bootstrap.servers", "none:1");
    try (var driver = new TopologyTestDriver(builder.build(), settings)) {
      var in = driver.createInputTopic("in", new StringSerializer(), new LongSerializer());
      var out = driver.createOutputTopic("out", new StringDeserializer(), new LongDeserializer());
      for (Object[] record : RECORDS) {
        in.pipeInput((String) record[0], (Long) record[1], 1000L * (Integer) record[2]);
        driver.advanceWallClockTime(Duration.ofSeconds(5));
        System.out.print("  " + record[0] + " at " + record[2] + " s:");
        out.readKeyValuesToList().forEach(o -> System.out.print(" [" + o.key + " s: " + o.value + "]"));
        System.out.println();
      }
    }
  }

  public static void main(String[] args) {
    for (String how : new String[] {"each change", "suppress", "onWindowClose"}) {
      run(10, how);
    }
    run(20, "each change");
    run(20, "suppress");
  }
}
JAVA
expected='grace 10 s, each change
  a at 0 s: [a 0-0 s: 1]
  a at 9 s: [a 9-9 s: 10]
  a at 13 s: [a 9-9 s: null] [a 9-13 s: 110]
  b at 20 s: [b 20-20 s: 5]
  a at 4 s: [a 9-13 s: null] [a 0-13 s: 1111]
  b at 60 s: [b 60-60 s: 5]
grace 10 s, suppress
  a at 0 s:
  a at 9 s:
  a at 13 s:
  b at 20 s: [a 0-0 s: 1]
  a at 4 s:
  b at 60 s: [a 0-13 s: 1111] [b 20-20 s: 5]
grace 10 s, onWindowClose
  a at 0 s:
  a at 9 s:
  a at 13 s:
  b at 20 s: [a 0-0 s: 1]
  a at 4 s:
  b at 60 s: [a 4-13 s: 1110] [b 20-20 s: 5]
grace 20 s, each change
  a at 0 s: [a 0-0 s: 1]
  a at 9 s: [a 9-9 s: 10]
  a at 13 s: [a 9-9 s: null] [a 9-13 s: 110]
  b at 20 s: [b 20-20 s: 5]
  a at 4 s: [a 0-0 s: null] [a 9-13 s: null] [a 0-13 s: 1111]
  b at 60 s: [b 60-60 s: 5]
grace 20 s, suppress
  a at 0 s:
  a at 9 s:
  a at 13 s:
  b at 20 s:
  a at 4 s:
  b at 60 s: [a 0-13 s: 1111] [b 20-20 s: 5]'
seen=$(java -Duser.timezone=UTC -cp "$work/jars/*" "$work/Run.java" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
