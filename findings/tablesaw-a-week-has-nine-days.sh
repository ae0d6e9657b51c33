#!/usr/bin/env bash
# tablesaw 0.44.4: yearWeek() puts 2020-12-31 into the first week of 2020, beside 2020-01-01.
#
# yearWeek() is for groups by the week of a year. In the calendar of the United States the last days
# of 2020 are in the first week of 2021. tablesaw takes that number 1, and before it the year of the
# day, in which the week is not. So the group "2020-01" has four days of January and five of December,
# and a sum by weeks has nine days in one. By a German locale, whose weeks are those of ISO,
# 2021-01-03 is of "2021-53", which sorts behind the year that has just begun; ISO says 2020-W53.
#
# Guess before the run: one group has days of one week.
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
      <groupId>tech.tablesaw</groupId>
      <artifactId>tablesaw-core</artifactId>
      <version>0.44.4</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import static tech.tablesaw.aggregate.AggregateFunctions.sum;

import java.time.LocalDate;
import java.util.Locale;
import tech.tablesaw.api.DateColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.Row;
import tech.tablesaw.api.Table;

public class Run {
  public static void main(String[] args) {
    for (Locale locale : new Locale[] {Locale.US, Locale.GERMANY}) {
      Locale.setDefault(locale);
      var day = DateColumn.create("day");
      var sold = IntColumn.create("sold");
      for (var date = LocalDate.of(2019, 12, 28); date.isBefore(LocalDate.of(2021, 1, 5)); date = date.plusDays(1)) {
        day.append(date);
        sold.append(1);
      }
      var week = day.yearWeek().setName("week");
      var table = Table.create("t", day, sold, week);
      System.out.println(locale + ":");
      for (String text : new String[] {"2019-12-31", "2020-01-01", "2020-12-31", "2021-01-03"}) {
        int row = day.asList().indexOf(LocalDate.parse(text));
        System.out.println("  " + text + " is in " + week.getString(row));
      }
      for (Row row : table.summarize("sold", sum).by("week").sortOn("week")) {
        if (row.getDouble("Sum [sold]") > 7) {
          System.out.println("  week " + row.getString("week") + " has days: " + row.getDouble("Sum [sold]"));
        }
      }
    }
  }
}
JAVA
expected='en_US:
  2019-12-31 is in 2019-01
  2020-01-01 is in 2020-01
  2020-12-31 is in 2020-01
  2021-01-03 is in 2021-02
  week 2020-01 has days: 9.0
de_DE:
  2019-12-31 is in 2019-01
  2020-01-01 is in 2020-01
  2020-12-31 is in 2020-53
  2021-01-03 is in 2021-53'
seen=$(java -cp "$work/jars/*" "$work/Run.java" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
