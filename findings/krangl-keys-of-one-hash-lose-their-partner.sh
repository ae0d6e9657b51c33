#!/usr/bin/env bash
# krangl 0.18.1: the rows (1, 40) and (2, 9) are in both tables, and their inner join by both columns has one pair.
#
# krangl is a dplyr for the JVM. A join groups both tables by the key, sorts the groups by the hash code of their key,
# and steps through both in one pass. Two keys with one hash code stand in the order in which each table has them; if
# the orders differ, the pass goes by a partner that comes one place later. Pairs of small numbers share hash codes
# often, such as (1, 40) and (2, 9), and so do the texts Aa and BB. An inner join loses rows, a left join has a null
# in place of the partner, an outer join has the row twice, once from each side. In another order of rows all is
# right.
#
# Guess before the run: two pairs.
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
      <groupId>com.github.holgerbrandl</groupId>
      <artifactId>krangl</artifactId>
      <version>0.18.1</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import kotlin.Pair;
import krangl.DataFrame;
import krangl.JoinsKt;
import krangl.TableIOKt;

public class Run {
  static final Pair<String, String> SUFFIXES = new Pair<>(".x", ".y");

  static DataFrame table(String... lines) throws Exception {
    Path file = Files.createTempFile(Path.of(System.getProperty("work")), "t", ".csv");
    Files.write(file, List.of(lines));
    return TableIOKt.readCSV(DataFrame.Companion, file.toFile());
  }

  static void show(String name, DataFrame found) {
    var rows = new ArrayList<String>();
    found.getRows().forEach(row -> rows.add(row.values().toString()));
    System.out.println(name + ": " + (found.getNrow() == 0 ? "no rows" : String.join(" ", rows)));
  }

  public static void main(String[] args) throws Exception {
    DataFrame left = table("customer,item,x", "1,40,first", "2,9,second");
    var right = List.of(table("customer,item,y", "2,9,SECOND", "1,40,FIRST"), table("customer,item,y", "1,40,FIRST", "2,9,SECOND"));
    var by = List.of("customer", "item");
    for (DataFrame other : right) {
      show("inner", JoinsKt.innerJoin(left, other, by, SUFFIXES));
      show("left", JoinsKt.leftJoin(left, other, by, SUFFIXES));
      show("outer", JoinsKt.outerJoin(left, other, by));
    }
    DataFrame texts = table("k,x", "Aa,1", "BB,2");
    show("texts, inner", JoinsKt.innerJoin(texts, table("k,y", "BB,20", "Aa,10"), "k", SUFFIXES));
    show("texts in one order, inner", JoinsKt.innerJoin(texts, table("k,y", "Aa,10", "BB,20"), "k", SUFFIXES));
  }
}
JAVA
expected='inner: [1, 40, first, FIRST]
left: [1, 40, first, FIRST] [2, 9, second, null]
outer: [2, 9, null, SECOND] [1, 40, first, FIRST] [2, 9, second, null]
inner: [1, 40, first, FIRST] [2, 9, second, SECOND]
left: [1, 40, first, FIRST] [2, 9, second, SECOND]
outer: [1, 40, first, FIRST] [2, 9, second, SECOND]
texts, inner: [Aa, 1, 10]
texts in one order, inner: [Aa, 1, 10] [BB, 2, 20]'
seen=$(java "-Dwork=$work" -cp "$work/jars/*" "$work/Run.java" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
