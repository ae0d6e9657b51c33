#!/usr/bin/env bash
# Kafka Connect 4.4.0: Cast to int8 makes 44 of the number 300 and of the decimal 300.00, and fails on the text "300".
#
# A cast that can not keep the value fails: so it is with texts, by the message that the value is out of range. Of
# numbers Cast takes the lower bits, and does not say so: 300 is 44, 200 is -56, 2^31 is -2^31, 1e20 is -1 in two
# bytes and 2147483647 in four, and NaN is 0. A decimal column of a database, which Cast is there for, loses its
# fraction and wraps as well. As a truth value the number 300 is true, the text "300" is false, and so is "1".
#
# Guess before the run: the same failure for numbers and texts.
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
import java.math.BigDecimal;
import java.util.Map;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.transforms.Cast;

public class Run {
  static final Object[] VALUES = {
    300L, "300", new BigDecimal("300.00"), 200, 1L << 31, 1e20, "1e20", Double.NaN, new BigDecimal("2.75"), "2.75", 1, "1"
  };

  static Object cast(Object value, String type) {
    Schema schema = value instanceof BigDecimal ? Decimal.schema(2) : null;
    try (var transform = new Cast.Value<SourceRecord>()) {
      transform.configure(Map.of("spec", type));
      return transform.apply(new SourceRecord(null, null, "t", schema, value)).value();
    } catch (DataException e) {
      return "fails";
    }
  }

  public static void main(String[] args) {
    for (Object value : VALUES) {
      System.out.print((value instanceof String ? "text " : "") + value + ":");
      for (String type : new String[] {"int8", "int16", "int32", "boolean"}) {
        System.out.print(" " + type + " " + cast(value, type));
      }
      System.out.println();
    }
  }
}
JAVA
expected='300: int8 44 int16 300 int32 300 boolean true
text 300: int8 fails int16 300 int32 300 boolean false
300.00: int8 44 int16 300 int32 300 boolean true
200: int8 -56 int16 200 int32 200 boolean true
2147483648: int8 0 int16 0 int32 -2147483648 boolean true
1.0E20: int8 -1 int16 -1 int32 2147483647 boolean true
text 1e20: int8 fails int16 fails int32 fails boolean false
NaN: int8 0 int16 0 int32 0 boolean false
2.75: int8 2 int16 2 int32 2 boolean true
text 2.75: int8 fails int16 fails int32 fails boolean false
1: int8 1 int16 1 int32 1 boolean true
text 1: int8 1 int16 1 int32 1 boolean false'
seen=$(java -Duser.timezone=UTC -cp "$work/jars/*" "$work/Run.java" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
