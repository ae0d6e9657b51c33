#!/usr/bin/env bash
# Kafka Connect 4.4.0: a header "1,234.5" is read as 1, "12345678.9" as 12345679, and written on so.
#
# SimpleHeaderConverter, the default of each connector, guesses the type of a header from its text, and writes it as
# text again: what it takes for no number it hands on as it is. It parses one value and does not look whether
# anything is left: of "1,234.5", "10:30", "7]" and '{"a":1} tail' the first value stays, and a text "1a" stays
# whole. A number with a point becomes a float of 32 bits if it is in the range of one, whatever its digits, "007"
# and "1.10" lose theirs, and the 30th of February is 1 March. A mirror of a topic so changes its headers.
#
# Guess before the run: a text that is not wholly a number stays a text, and each header is written as it came.
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
      <artifactId>connect-api</artifactId>
      <version>4.4.0</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.storage.SimpleHeaderConverter;

public class Run {
  static final List<String> HEADERS =
      List.of(
          "1,234.5",
          "10:30",
          "7]",
          "1a",
          "a,b",
          "true,false",
          "[1,2],[3]",
          "{\"a\":1} tail",
          "2024-06-01,x",
          "2024-02-30",
          "12345678.9",
          "123.456789",
          "9007199254740993",
          "007",
          "1.10",
          "1e3");

  public static void main(String[] args) throws Exception {
    try (var converter = new SimpleHeaderConverter()) {
      for (String header : HEADERS) {
        byte[] bytes = header.getBytes(StandardCharsets.UTF_8);
        SchemaAndValue read = converter.toConnectHeader("t", "h", bytes);
        byte[] back = converter.fromConnectHeader("t", "h", read.schema(), read.value());
        String written = new String(back, StandardCharsets.UTF_8);
        String type = read.value().getClass().getSimpleName();
        System.out.println(header + ": " + type + ", " + (written.equals(header) ? "same" : written));
      }
    }
  }
}
JAVA
expected='1,234.5: Byte, 1
10:30: Byte, 10
7]: Byte, 7
1a: String, same
a,b: String, same
true,false: String, same
[1,2],[3]: ArrayList, [1,2]
{"a":1} tail: LinkedHashMap, {"a":1}
2024-06-01,x: Date, 2024-06-01
2024-02-30: Date, 2024-03-01
12345678.9: Float, 1.2345679E7
123.456789: Float, 123.45679
9007199254740993: Long, same
007: Byte, 7
1.10: Float, 1.1
1e3: Short, 1000'
seen=$(java -Duser.timezone=UTC -cp "$work/jars/*" "$work/Run.java" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
