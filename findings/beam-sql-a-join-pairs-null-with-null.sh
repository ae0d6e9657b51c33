#!/usr/bin/env bash
# Apache Beam 2.71.0 SQL: t JOIN u ON t.k = u.k pairs the rows without k, and EXISTS with the same condition does not.
#
# NULL = NULL is unknown, and no row of a join. Beam joins by the encoded key, in which null is a value: the rows
# without a key are partners in an inner join, and in an outer join they lose the nulls of their missing partner. So
# t.k IN (SELECT k FROM u) keeps a row that EXISTS leaves out, and the rows without a partner are one too few. WHERE
# k = k leaves null out, as it should.
#
# Guess before the run: no pair without a key, and the same rows from IN and EXISTS.
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
    var t = List.of(row(1, "a", 1.0), row(2, null, 2.0), row(3, "b", 3.0));
    var u = List.of(row(7, "a", 1.0), row(8, null, 2.0), row(9, "c", 3.0));
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
expected='SELECT t.id, u.id FROM t JOIN u ON t.k = u.k: [1, 7] [2, 8]
SELECT t.id, u.id FROM t, u WHERE t.k = u.k: [1, 7] [2, 8]
SELECT t.id, u.id FROM t LEFT JOIN u ON t.k = u.k: [1, 7] [2, 8] [3, null]
SELECT t.id, u.id FROM t FULL JOIN u ON t.k = u.k: [1, 7] [2, 8] [3, null] [null, 9]
SELECT t.id FROM t LEFT JOIN u ON t.k = u.k WHERE u.id IS NULL: [3]
SELECT id FROM t WHERE k IN (SELECT k FROM u): [1] [2]
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k): [1]
SELECT id FROM t WHERE k = k: [1] [3]'
seen=$(java -Duser.timezone=UTC -cp "$work/classes:$work/jars/*" Run \
  "SELECT t.id, u.id FROM t JOIN u ON t.k = u.k" \
  "SELECT t.id, u.id FROM t, u WHERE t.k = u.k" \
  "SELECT t.id, u.id FROM t LEFT JOIN u ON t.k = u.k" \
  "SELECT t.id, u.id FROM t FULL JOIN u ON t.k = u.k" \
  "SELECT t.id FROM t LEFT JOIN u ON t.k = u.k WHERE u.id IS NULL" \
  "SELECT id FROM t WHERE k IN (SELECT k FROM u)" \
  "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k)" \
  "SELECT id FROM t WHERE k = k" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
