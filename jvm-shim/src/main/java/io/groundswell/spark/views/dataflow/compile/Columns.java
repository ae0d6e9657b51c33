package io.groundswell.spark.views.dataflow.compile;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.views.capture.describe.CapturedPlan;
import io.groundswell.spark.views.contract.dataflow.part.HiddenColumn;
import io.groundswell.spark.views.operator.spi.Column;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.types.DataTypes;

/** What the refs of one dataflow mean: captured attributes, hidden columns, and the weight. */
final class Columns {
  static final String WEIGHT = "_weight";

  private final CapturedPlan plan;
  private final Map<String, Attribute> hidden = new HashMap<>();
  private final Attribute weight =
      Catalyst.attribute(WEIGHT, DataTypes.IntegerType, false, Catalyst.newExprId());

  /**
   * @param refs the hidden columns, by ref
   */
  Columns(CapturedPlan plan, Map<String, HiddenColumn> refs) {
    this.plan = plan;
    refs.forEach((ref, column)
                     -> hidden.put(ref,
                         Catalyst.attribute(column.name(), column.type(), column.nullable(),
                             Catalyst.newExprId())));
  }

  Attribute weight() {
    return weight;
  }

  Attribute attribute(String ref) {
    Attribute found = hidden.get(ref);
    if (found == null) {
      found = plan.attribute(ref);
    }
    if (found == null) {
      throw new IllegalArgumentException(
          "the dataflow names column \"" + ref + "\", which neither the query nor its refs have");
    }
    return found;
  }

  List<Attribute> attributes(List<String> refs) {
    return refs.stream().map(this::attribute).toList();
  }

  Column column(String ref) {
    Attribute attribute = attribute(ref);
    return new Column(ref, attribute.name(), attribute.dataType(), attribute.nullable());
  }

  List<Column> columns(List<String> refs) {
    return refs.stream().map(this::column).toList();
  }
}
