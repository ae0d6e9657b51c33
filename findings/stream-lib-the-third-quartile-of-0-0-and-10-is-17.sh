#!/usr/bin/env bash
# com.clearspring.analytics:stream 2.9.8: the third quartile of 0, 0 and 10 is 17.5, and the least of 1 to 5 is 2.
#
# The TDigest of this library keeps a few values as they are, and draws lines between and beyond them. The lines are not
# cut at both ends: a share below a value is negative, and minus infinity where the first two values are equal, and a
# quantile is above the maximum. quantile(0) begins at the second value, so that of 1 to 5 it is 2 and a quarter is 1.75.
# com.tdunning:t-digest 3.3, a later version of the same sketch, stays between the extremes.
#
# Guess before the run: shares from 0 to 1, quantiles that rise from the minimum to the maximum.
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
      <groupId>com.clearspring.analytics</groupId>
      <artifactId>stream</artifactId>
      <version>2.9.8</version>
    </dependency>
    <dependency>
      <groupId>com.tdunning</groupId>
      <artifactId>t-digest</artifactId>
      <version>3.3</version>
    </dependency>
    <dependency>
      <groupId>it.unimi.dsi</groupId>
      <artifactId>fastutil</artifactId>
      <version>8.1.1</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import com.clearspring.analytics.stream.quantile.TDigest;
import java.util.Arrays;
import java.util.Random;

public class Run {
  public static void main(String[] args) {
    for (double[] values : new double[][] {{1, 2, 3, 4, 5}, {0, 0, 10}, {1, 3}, {10, 20, 30}}) {
      var digest = new TDigest(100, new Random(1));
      var other = com.tdunning.math.stats.TDigest.createAvlTreeDigest(100);
      for (double value : values) {
        digest.add(value);
        other.add(value);
      }
      System.out.println(Arrays.toString(values));
      for (double rank : new double[] {0, 0.25, 0.5, 0.75, 1}) {
        System.out.println("  quantile " + rank + ": " + digest.quantile(rank) + ", t-digest " + other.quantile(rank));
      }
      for (double value : new double[] {-1, 0.5, 100}) {
        System.out.printf("  share below %s: %.2f, t-digest %.2f%n", value, digest.cdf(value), other.cdf(value));
      }
    }
  }
}
JAVA
expected='[1.0, 2.0, 3.0, 4.0, 5.0]
  quantile 0.0: 2.0, t-digest 1.0
  quantile 0.25: 1.75, t-digest 2.0
  quantile 0.5: 2.5, t-digest 3.0
  quantile 0.75: 3.25, t-digest 4.0
  quantile 1.0: 5.0, t-digest 5.0
  share below -1.0: -0.30, t-digest 0.00
  share below 0.5: 0.00, t-digest 0.00
  share below 100.0: 1.00, t-digest 1.00
[0.0, 0.0, 10.0]
  quantile 0.0: 0.0, t-digest 0.0
  quantile 0.25: 0.0, t-digest 0.0
  quantile 0.5: 0.0, t-digest 0.0
  quantile 0.75: 17.5, t-digest 10.0
  quantile 1.0: 10.0, t-digest 10.0
  share below -1.0: -Infinity, t-digest 0.00
  share below 0.5: 0.18, t-digest 0.67
  share below 100.0: 1.00, t-digest 1.00
[1.0, 3.0]
  quantile 0.0: 0.0, t-digest 1.0
  quantile 0.25: 1.0, t-digest 1.0
  quantile 0.5: 2.0, t-digest 3.0
  quantile 0.75: 3.0, t-digest 3.0
  quantile 1.0: 4.0, t-digest 3.0
  share below -1.0: -0.75, t-digest 0.00
  share below 0.5: -0.38, t-digest 0.00
  share below 100.0: 1.00, t-digest 1.00
[10.0, 20.0, 30.0]
  quantile 0.0: 20.0, t-digest 10.0
  quantile 0.25: 12.5, t-digest 10.0
  quantile 0.5: 15.0, t-digest 20.0
  quantile 0.75: 37.5, t-digest 30.0
  quantile 1.0: 30.0, t-digest 30.0
  share below -1.0: -0.20, t-digest 0.00
  share below 0.5: -0.15, t-digest 0.00
  share below 100.0: 1.00, t-digest 1.00'
seen=$(java -cp "$work/jars/*" "$work/Run.java" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
