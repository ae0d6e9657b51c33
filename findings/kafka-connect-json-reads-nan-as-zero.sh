#!/usr/bin/env bash
# Kafka Connect 4.4.0: JsonConverter writes NaN as "NaN" and reads it as 0, and 2^64 - 1 comes as -1.
#
# What a converter wrote, it reads back as it was, or fails. JSON has no NaN, so JsonConverter writes a text; when
# it reads a double, by the schema that stands beside the value, it asks the parser for a number and gets 0 for
# each text, the same for infinity, and -0.0 is 0.0. Values that do not fit their schema are not found out:
# "7" for an int32 is 0, 5 for a string is null, 70000 for an int16 is 4464. Without a schema a whole number
# is a Long: those of a BIGINT UNSIGNED from 2^63 on are negative, and longer ones are any number.
#
# Guess before the run: NaN, or an error, and an error or a decimal for the long numbers.
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
      <artifactId>connect-json</artifactId>
      <version>4.4.0</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.json.JsonConverter;

public class Run {
  static JsonConverter made(boolean schemas) {
    var converter = new JsonConverter();
    converter.configure(Map.of("schemas.enable", String.valueOf(schemas)), false);
    return converter;
  }

  public static void main(String[] args) {
    JsonConverter typed = made(true), free = made(false);
    for (double value : new double[] {1.5, Double.NaN, Double.NEGATIVE_INFINITY, -0.0}) {
      byte[] written = typed.fromConnectData("t", Schema.FLOAT64_SCHEMA, value);
      String text = new String(written, StandardCharsets.UTF_8).replaceAll(".*payload\":|}$", "");
      System.out.println(value + ": written " + text + ", read " + typed.toConnectData("t", written).value());
    }
    String[][] payloads = {
      {"int32", "7"}, {"int32", "\"7\""}, {"int32", "1.9"}, {"int16", "70000"}, {"double", "\"1.5\""},
      {"string", "5"}, {"string", "{\"a\": 1}"}, {"boolean", "1"}, {"boolean", "\"true\""}, {"float", "1e300"}
    };
    for (String[] payload : payloads) {
      String text = "{\"schema\": {\"type\": \"" + payload[0] + "\"}, \"payload\": " + payload[1] + "}";
      Object value = typed.toConnectData("t", text.getBytes(StandardCharsets.UTF_8)).value();
      System.out.println(payload[0] + " " + payload[1] + ": " + value);
    }
    String[] numbers = {
      "9223372036854775807", "9223372036854775808", "18446744073709551615", "123456789012345678901234567890"
    };
    for (String number : numbers) {
      Object value = free.toConnectData("t", number.getBytes(StandardCharsets.UTF_8)).value();
      System.out.println("no schema, " + number + ": " + value);
    }
  }
}
JAVA
expected='1.5: written 1.5, read 1.5
NaN: written "NaN", read 0.0
-Infinity: written "-Infinity", read 0.0
-0.0: written -0.0, read 0.0
int32 7: 7
int32 "7": 0
int32 1.9: 1
int16 70000: 4464
double "1.5": 0.0
string 5: null
string {"a": 1}: null
boolean 1: false
boolean "true": false
float 1e300: Infinity
no schema, 9223372036854775807: 9223372036854775807
no schema, 9223372036854775808: -9223372036854775808
no schema, 18446744073709551615: -1
no schema, 123456789012345678901234567890: -4362896299872285998'
seen=$(java -Duser.timezone=UTC -cp "$work/jars/*" "$work/Run.java" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
