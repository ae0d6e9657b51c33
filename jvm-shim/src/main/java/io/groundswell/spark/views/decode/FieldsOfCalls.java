package io.groundswell.spark.views.decode;

import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.JsonToStructs;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;

/** Which columns of projections are fields of {@code from_json}, as they are. */
final class FieldsOfCalls {
  /**
   * A field of what a call gives.
   *
   * @param ordinal -1: all of it
   */
  private record Field(JsonToStructs call, int ordinal) {
    static final Field NONE = new Field(null, -1);
  }

  private FieldsOfCalls() {}

  /**
   * The filters over a plan's columns as filters over the structs that calls give.
   *
   * @return by call; nothing if something else is computed of a struct, for that might not want
   *     nulls
   */
  static Map<JsonToStructs, PushedFilters> pushed(SparkPlan plan, PushedFilters filters) {
    if (filters.isEmpty() || !(plan instanceof ProjectExec top)) {
      return Map.of();
    }
    List<Field> fields = columns(top);
    if (fields == null) {
      return Map.of();
    }
    Map<JsonToStructs, PushedFilters> pushed = new HashMap<>();
    for (JsonToStructs call :
        fields.stream().map(Field::call).filter(Objects::nonNull).distinct().toList()) {
      int[] places = fields.stream()
                         .mapToInt(field -> call.equals(field.call()) ? field.ordinal() : -1)
                         .toArray();
      PushedFilters over = filters.over(places);
      if (!over.isEmpty()) {
        pushed.put(call, over);
      }
    }
    return pushed;
  }

  /** What a projection's columns are; null: something is computed of what a call gives. */
  private static List<Field> columns(ProjectExec project) {
    Map<ExprId, Field> given = new HashMap<>();
    if (project.child() instanceof ProjectExec below) {
      List<Field> fields = columns(below);
      if (fields == null) {
        return null;
      }
      for (int i = 0; i < fields.size(); i++) {
        given.put(below.output().apply(i).exprId(), fields.get(i));
      }
    } else if (project.child().children().nonEmpty()) {
      return null;
    }
    List<Field> columns = new ArrayList<>();
    for (NamedExpression each : Scala.list(project.projectList())) {
      Expression value = each instanceof Alias alias ? alias.child() : each.toAttribute();
      Field field = field(value, given);
      if (field == null) {
        return null;
      }
      columns.add(field);
    }
    return columns;
  }

  /** Null: it is computed of what a call gives. */
  private static Field field(Expression value, Map<ExprId, Field> given) {
    if (value instanceof JsonToStructs call) {
      return new Field(call, -1);
    }
    if (value instanceof Attribute column) {
      return given.getOrDefault(column.exprId(), Field.NONE);
    }
    if (value instanceof GetStructField path) {
      Field struct = field(path.child(), given);
      if (struct != null && struct.call() != null) {
        return struct.ordinal() < 0 ? new Field(struct.call(), path.ordinal()) : null;
      }
      return struct;
    }
    boolean reads = value.exists(Scala.function(part
        -> part instanceof JsonToStructs
            || (part instanceof Attribute column
                && given.getOrDefault(column.exprId(), Field.NONE).call() != null)));
    return reads ? null : Field.NONE;
  }
}
