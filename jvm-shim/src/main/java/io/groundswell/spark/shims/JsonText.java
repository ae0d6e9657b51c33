package io.groundswell.spark.shims;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.StructsToJson;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataTypes;
import scala.jdk.javaapi.CollectionConverters;

/** Rows as JSON for people: nulls are shown, times have microseconds. */
public final class JsonText {
  private static final Map<String, String> OPTIONS =
      Map.of("ignoreNullFields", "false", "timestampFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
          "timestampNTZFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSSSS");

  private JsonText() {}

  /** An expression whose value is one JSON object of these columns, in the session's time zone. */
  public static Expression of(List<String> names, List<Expression> values) {
    List<Expression> parts = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      parts.add(Literal.create(names.get(i), DataTypes.StringType));
      parts.add(values.get(i));
    }
    String zone = SQLConf.get().sessionLocalTimeZone();
    return new StructsToJson(
        scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(OPTIONS)),
        Algebra.namedStruct(parts), scala.Option.apply(zone))
        .replacement();
  }
}
