#!/usr/bin/env bash
# krangl 0.18.1: the semi join of a table with itself has no rows.
#
# semiJoin() is, as in dplyr, the rows of the left table that have a partner in the right one, each once. Here it is
# empty for tables whose inner join by the same column has rows, whether the right table has further columns or the
# key alone, by one key or by two, and so is that of a table with itself. No error is raised: a filter that asks
# for customers with orders finds no customer.
#
# Guess before the run: the rows of the left table that the inner join has.
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
    DataFrame left = table("k,j,x", "a,1,10", "b,2,20", "b,3,30", "c,4,40");
    DataFrame right = table("k,j,y", "b,2,B", "b,2,BB", "c,5,C", "d,6,D");
    show("inner by k", JoinsKt.innerJoin(left, right.select("k", "y"), "k", SUFFIXES));
    show("semi by k", JoinsKt.semiJoin(left, right, "k"));
    show("semi by k, the key alone", JoinsKt.semiJoin(left, right.select("k"), "k"));
    show("semi by k and j", JoinsKt.semiJoin(left, right, List.of("k", "j"), SUFFIXES));
    show("semi by k with itself", JoinsKt.semiJoin(left, left, "k"));
  }
}
JAVA
expected='inner by k: [b, 2, 20, B] [b, 3, 30, B] [b, 2, 20, BB] [b, 3, 30, BB] [c, 4, 40, C]
semi by k: no rows
semi by k, the key alone: no rows
semi by k and j: no rows
semi by k with itself: no rows'
seen=$(java "-Dwork=$work" -cp "$work/jars/*" "$work/Run.java" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
