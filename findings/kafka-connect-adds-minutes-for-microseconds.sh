#!/usr/bin/env bash
# Kafka Connect 4.4.0: TimestampConverter makes 10:02:03.456 of 10:00:00.123456, and 1970-01-01 of a day before.
#
# A timestamp with six digits after the second, as CDC sources send it, has 123456 microseconds. TimestampConverter
# parses by a pattern of SimpleDateFormat, where SSSSSS are six digits of milliseconds: two minutes are added,
# and ".5" is 5 ms. A day that does not exist is another day. Numbers are cut towards zero, not down: one
# microsecond before 1970 is in 1970, and as a date, which is kept by the day, 1970-01-01 and not 1969-12-31.
# -1500 ms is -1 s as a number, and 23:59:58 as a text. No record fails.
#
# Guess before the run: 10:00:00.123, an error for the 30th of February, and 1969-12-31.
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
      <artifactId>connect-transforms</artifactId>
      <version>4.4.0</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.transforms.TimestampConverter;

public class Run {
  static void run(String name, Object value, String... options) {
    Map<String, String> config = new HashMap<>();
    for (int i = 0; i < options.length; i += 2) {
      config.put(options[i], options[i + 1]);
    }
    try (var transform = new TimestampConverter.Value<SourceRecord>()) {
      transform.configure(config);
      Object to = transform.apply(new SourceRecord(null, null, "t", null, value)).value();
      Object from = value instanceof Date date ? date.toInstant() : value;
      System.out.println(name + ", " + from + ": " + (to instanceof Date date ? date.toInstant() : to));
    }
  }

  public static void main(String[] args) {
    for (String text : new String[] {"10:00:00.123456", "10:00:00.123", "10:00:00.5"}) {
      run("text", "2024-06-01 " + text, "target.type", "Timestamp", "format", "yyyy-MM-dd HH:mm:ss.SSSSSS");
    }
    run("text", "2023-02-30 10:00:00", "target.type", "Timestamp", "format", "yyyy-MM-dd HH:mm:ss");
    run("text", "2024-06-01 10:00:00+02:00", "target.type", "Timestamp", "format", "yyyy-MM-dd HH:mm:ss");
    for (String precision : new String[] {"seconds", "milliseconds", "microseconds"}) {
      run(precision + " to a date", -1L, "target.type", "Date", "unix.precision", precision);
      run(precision + " to a timestamp", -1L, "target.type", "Timestamp", "unix.precision", precision);
    }
    Date before = Date.from(Instant.ofEpochMilli(-1500));
    run("timestamp to seconds", before, "target.type", "unix", "unix.precision", "seconds");
    run("timestamp to text", before, "target.type", "string", "format", "yyyy-MM-dd HH:mm:ss");
  }
}
JAVA
expected='text, 2024-06-01 10:00:00.123456: 2024-06-01T10:02:03.456Z
text, 2024-06-01 10:00:00.123: 2024-06-01T10:00:00.123Z
text, 2024-06-01 10:00:00.5: 2024-06-01T10:00:00.005Z
text, 2023-02-30 10:00:00: 2023-03-02T10:00:00Z
text, 2024-06-01 10:00:00+02:00: 2024-06-01T10:00:00Z
seconds to a date, -1: 1969-12-31T00:00:00Z
seconds to a timestamp, -1: 1969-12-31T23:59:59Z
milliseconds to a date, -1: 1969-12-31T00:00:00Z
milliseconds to a timestamp, -1: 1969-12-31T23:59:59.999Z
microseconds to a date, -1: 1970-01-01T00:00:00Z
microseconds to a timestamp, -1: 1970-01-01T00:00:00Z
timestamp to seconds, 1969-12-31T23:59:58.500Z: -1
timestamp to text, 1969-12-31T23:59:58.500Z: 1969-12-31 23:59:58'
seen=$(java -Duser.timezone=UTC -cp "$work/jars/*" "$work/Run.java" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
