#!/usr/bin/env bash
# dflib 1.2.0: a window by k makes a row of nulls of each row without k, and numbers three of five rows.
#
# A window gives one value for each row of the DataFrame: over().partitioned("k") computes it among the
# rows of the same k. Rows whose k is null are in no partition. merge() puts null beside them, select()
# makes all of their columns null, the number of the row among them, which has nothing to do with k.
# rowNumber() is a column of three numbers for five rows, and so the third number is that of the fifth
# row. group("k") leaves those rows out. Without partitions all rows are there.
#
# Guess before the run: one partition of the rows without k, or null for the sum alone.
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
      <groupId>org.dflib</groupId>
      <artifactId>dflib</artifactId>
      <version>1.2.0</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import static org.dflib.Exp.$col;
import static org.dflib.Exp.$int;
import static org.dflib.Exp.rowNum;

import java.util.StringJoiner;
import org.dflib.DataFrame;

public class Run {
  static void show(String name, DataFrame frame) {
    var rows = new StringJoiner(", ", name + ": ", "");
    for (var row : frame) {
      var values = new StringJoiner(" ");
      for (String column : frame.getColumnsIndex()) {
        values.add(column + " " + row.get(column));
      }
      rows.add(values.toString());
    }
    System.out.println(rows);
  }

  public static void main(String[] args) {
    var frame = DataFrame.foldByRow("i", "k", "v").of(1, "a", 5, 2, null, 6, 3, "a", 7, 4, null, 8, 5, "b", 9);
    show("all rows", frame.over().cols("v", "n").select($int("v").sum(), rowNum()));
    show("merge", frame.over().partitioned("k").cols("sum").merge($int("v").sum()));
    show("select", frame.over().partitioned("k").cols("i", "n").select($col("i"), rowNum()));
    var numbers = frame.over().partitioned("k").sorted("i", true).rowNumber();
    System.out.println("rowNumber: " + numbers.size() + " of " + frame.height() + " rows, the third is " + numbers.get(2));
    show("group", frame.group("k").cols("k", "sum").agg($col("k").first(), $int("v").sum()));
  }
}
JAVA
expected='all rows: v 35 n 1, v 35 n 1, v 35 n 1, v 35 n 1, v 35 n 1
merge: i 1 k a v 5 sum 12, i 2 k null v 6 sum null, i 3 k a v 7 sum 12, i 4 k null v 8 sum null, i 5 k b v 9 sum 9
select: i 1 n 1, i null n null, i 1 n 1, i null n null, i 5 n 1
rowNumber: 3 of 5 rows, the third is 1
group: k a sum 12, k b sum 9'
seen=$(java -cp "$work/jars/*" "$work/Run.java" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
