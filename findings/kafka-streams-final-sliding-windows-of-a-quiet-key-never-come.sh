#!/usr/bin/env bash
# Kafka Streams 4.4.0: sliding windows of 10 s over a record per 25 s have no final result, tumbling windows all.
#
# EmitStrategy.onWindowClose sends each window once, when time has passed its end and the grace. With one record
# every 3 or 12 s sliding windows come so. With 25 s between two records none comes, for as long as they go on:
# a closed window is looked for in the store when the next record comes, and by then it is past the retention,
# which is by default twice the difference and the grace. A longer gap loses any window, so a stream that pauses
# loses what it had last. Without onWindowClose each of them is sent; with suppress() and with tumbling windows
# each final result is; so it is with a retention of a day. No metric or log tells of the loss: a window that
# was not sent looks like one without records.
#
# Guess before the run: each closed window once, whatever the gap.
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
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.*;
import org.apache.kafka.streams.state.WindowStore;

public class Run {
  static final Duration SIZE = Duration.ofSeconds(10);
  static final EmitStrategy FINAL = EmitStrategy.onWindowClose(), EACH = EmitStrategy.onWindowUpdate();

  static void run(String name, boolean sliding, EmitStrategy emit, Duration retention, boolean suppress, int gap) {
    var builder = new StreamsBuilder();
    var keys = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey();
    var store = Materialized.<String, Long, WindowStore<Bytes, byte[]>>with(Serdes.String(), Serdes.Long());
    if (retention != null) {
      store = store.withRetention(retention);
    }
    var counts = sliding
        ? keys.windowedBy(SlidingWindows.ofTimeDifferenceWithNoGrace(SIZE)).emitStrategy(emit).count(store)
        : keys.windowedBy(TimeWindows.ofSizeWithNoGrace(SIZE)).emitStrategy(emit).count(store);
    if (suppress) {
      counts = counts.suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()));
    }
    counts
        .toStream()
        .map((k, v) -> KeyValue.pair(k.window().start() / 1000 + "-" + k.window().end() / 1000, "" + v))
        .to("out", Produced.with(Serdes.String(), Serdes.String()));
    var settings = new Properties();
    settings.put("application.id", "finding");
    settings.put("bootstrap.servers", "none:1");
    try (var driver = new TopologyTestDriver(builder.build(), settings)) {
      var in = driver.createInputTopic("in", new StringSerializer(), new StringSerializer());
      var out = driver.createOutputTopic("out", new StringDeserializer(), new StringDeserializer());
      for (int i = 1; i <= 6; i++) {
        in.pipeInput("k", "v", i * gap * 1000L);
        driver.advanceWallClockTime(Duration.ofSeconds(gap));
      }
      System.out.print("  " + name + ":");
      out.readKeyValuesToList().forEach(o -> System.out.print(" " + o.key + (o.value.equals("1") ? "" : " of " + o.value)));
      System.out.println();
    }
  }

  public static void main(String[] args) {
    for (int gap : new int[] {3, 12, 25, 60}) {
      System.out.println("six records, " + gap + " s apart");
      run("tumbling, final", false, FINAL, null, false, gap);
      run("sliding, final", true, FINAL, null, false, gap);
      run("sliding, final, kept for a day", true, FINAL, Duration.ofDays(1), false, gap);
      if (gap > 10) {
        run("sliding, suppress", true, EACH, null, true, gap);
        run("sliding, each change", true, EACH, null, false, gap);
      }
    }
  }
}
JAVA
expected='six records, 3 s apart
  tumbling, final: 0-10 of 3
  sliding, final: 0-10 of 3 2-12 of 4 3-13 of 3 5-15 of 4 6-16 of 3
  sliding, final, kept for a day: 0-10 of 3 2-12 of 4 3-13 of 3 5-15 of 4 6-16 of 3
six records, 12 s apart
  tumbling, final: 10-20 20-30 30-40 40-50 60-70
  sliding, final: 2-12 14-24 26-36 38-48 50-60
  sliding, final, kept for a day: 2-12 14-24 26-36 38-48 50-60
  sliding, suppress: 2-12 14-24 26-36 38-48 50-60 62-72
  sliding, each change: 2-12 14-24 26-36 38-48 50-60 62-72
six records, 25 s apart
  tumbling, final: 20-30 50-60 70-80 100-110 120-130
  sliding, final:
  sliding, final, kept for a day: 15-25 40-50 65-75 90-100 115-125
  sliding, suppress: 15-25 40-50 65-75 90-100 115-125 140-150
  sliding, each change: 15-25 40-50 65-75 90-100 115-125 140-150
six records, 60 s apart
  tumbling, final: 60-70 120-130 180-190 240-250 300-310
  sliding, final:
  sliding, final, kept for a day: 50-60 110-120 170-180 230-240 290-300
  sliding, suppress: 50-60 110-120 170-180 230-240 290-300 350-360
  sliding, each change: 50-60 110-120 170-180 230-240 290-300 350-360'
seen=$(java -Duser.timezone=UTC -cp "$work/jars/*" "$work/Run.java" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
