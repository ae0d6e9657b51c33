#!/usr/bin/env bash
# Apache Beam 2.71.0 SQL: ORDER BY v NULLS LAST LIMIT 2 has the two nulls, and NULLS FIRST the two smallest values.
#
# Beam SQL sorts with a LIMIT, for the first rows of a table. In a descending order NULLS FIRST and NULLS LAST do what
# they say. In an ascending order, the one without a word, each does what the other says. Without either a null comes
# first in both directions: the two largest values and the two smallest are the same two rows without a value, which
# no rule of nulls as high or as low gives. A filter that leaves nulls out gives the right rows.
#
# Guess before the run: nulls where the query wants them, and at one end only where it does not say.
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
      <groupId>org.apache.beam</groupId>
      <artifactId>beam-sdks-java-extensions-sql</artifactId>
      <version>2.71.0</version>
    </dependency>
    <dependency>
      <groupId>org.apache.beam</groupId>
      <artifactId>beam-runners-direct-java</artifactId>
      <version>2.71.0</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" \
  >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
cat >"$work/Run.java" <<'JAVA'
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.extensions.sql.SqlTransform;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;

public class Run {
  static final Schema SCHEMA =
      Schema.builder().addInt64Field("id").addNullableField("k", Schema.FieldType.STRING).addNullableField("v", Schema.FieldType.DOUBLE).build();
  static final List<String> FOUND = Collections.synchronizedList(new ArrayList<>());

  static class Keep extends DoFn<Row, Void> {
    @ProcessElement
    public void keep(@Element Row row) {
      FOUND.add(row.getValues().toString());
    }
  }

  static Row row(long id, String k, Double v) {
    return Row.withSchema(SCHEMA).addValues(id, k, v).build();
  }

  public static void main(String[] queries) {
    var t = List.of(row(1, "a", 1.5), row(2, "b", null), row(3, "c", 4.0), row(4, "d", -2.0), row(5, "e", null));
    var u = List.of(row(1, "a", 0.0));
    for (String query : queries) {
      FOUND.clear();
      var pipeline = Pipeline.create(PipelineOptionsFactory.fromArgs("--runner=DirectRunner", "--targetParallelism=1").create());
      var rows = pipeline.apply("t", Create.of(t).withRowSchema(SCHEMA));
      var others = pipeline.apply("u", Create.of(u).withRowSchema(SCHEMA));
      PCollectionTuple.of(new TupleTag<Row>("t"), rows).and(new TupleTag<Row>("u"), others).apply(SqlTransform.query(query)).apply(ParDo.of(new Keep()));
      pipeline.run().waitUntilFinish();
      var found = new ArrayList<>(FOUND);
      Collections.sort(found);
      System.out.println(query + ": " + String.join(" ", found));
    }
    System.exit(0);
  }
}
JAVA
javac -cp "$work/jars/*" -d "$work/classes" "$work/Run.java" 2>"$work/errors" || { tail -5 "$work/errors"; exit 1; }
expected='SELECT id, v FROM t ORDER BY v LIMIT 2: [2, null] [5, null]
SELECT id, v FROM t ORDER BY v DESC LIMIT 2: [2, null] [5, null]
SELECT id, v FROM t ORDER BY v NULLS FIRST LIMIT 2: [1, 1.5] [4, -2.0]
SELECT id, v FROM t ORDER BY v NULLS LAST LIMIT 2: [2, null] [5, null]
SELECT id, v FROM t ORDER BY v ASC NULLS LAST LIMIT 2: [2, null] [5, null]
SELECT id, v FROM t ORDER BY v DESC NULLS FIRST LIMIT 2: [2, null] [5, null]
SELECT id, v FROM t ORDER BY v DESC NULLS LAST LIMIT 2: [1, 1.5] [3, 4.0]
SELECT id, v FROM t WHERE v IS NOT NULL ORDER BY v LIMIT 2: [1, 1.5] [4, -2.0]'
seen=$(java -Duser.timezone=UTC -cp "$work/classes:$work/jars/*" Run \
  "SELECT id, v FROM t ORDER BY v LIMIT 2" \
  "SELECT id, v FROM t ORDER BY v DESC LIMIT 2" \
  "SELECT id, v FROM t ORDER BY v NULLS FIRST LIMIT 2" \
  "SELECT id, v FROM t ORDER BY v NULLS LAST LIMIT 2" \
  "SELECT id, v FROM t ORDER BY v ASC NULLS LAST LIMIT 2" \
  "SELECT id, v FROM t ORDER BY v DESC NULLS FIRST LIMIT 2" \
  "SELECT id, v FROM t ORDER BY v DESC NULLS LAST LIMIT 2" \
  "SELECT id, v FROM t WHERE v IS NOT NULL ORDER BY v LIMIT 2" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
