package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.TestState;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.Complete$;
import org.apache.spark.sql.types.DataTypes;

/** Aggregations written as {@code "sum(distinct x) if ok"}. */
public final class AggregateFixture {
  private static final Pattern CALL =
      Pattern.compile("(\\w+)\\((distinct )?(\\w*)\\)(?: if (\\w+))?");

  private AggregateFixture() {}

  public record Call(SparkFunctions function, boolean distinct, int arg, int filter) {}

  public static Call parse(String text, List<Column> input) {
    Matcher m = CALL.matcher(text);
    if (!m.matches()) {
      throw new IllegalArgumentException(text);
    }
    int arg = find(m.group(3), input);
    SparkFunctions function =
        new SparkFunctions(m.group(1), arg < 0 ? DataTypes.LongType : input.get(arg).type());
    return new Call(function, m.group(2) != null, arg, find(m.group(4), input));
  }

  private static int find(String ref, List<Column> input) {
    return input.stream().map(Column::ref).toList().indexOf(ref);
  }

  public static Fixture of(List<Column> input, List<String> grouping, String... calls) {
    return of(new TestState(), input, grouping, calls);
  }

  public static Fixture of(
      TestState state, List<Column> input, List<String> grouping, String... calls) {
    return of(state, input, false, grouping, calls);
  }

  public static Fixture of(TestState state, List<Column> input, boolean appendOnly,
      List<String> grouping, String... calls) {
    return of(state, input, "appendOnly: " + appendOnly, null, grouping, calls);
  }

  /**
   * An aggregation of more fields.
   *
   * @param fields of its description
   * @param condition the only one that it may ask for, over the rows that it gives
   */
  public static Fixture of(TestState state, List<Column> input, String fields, Expression condition,
      List<String> grouping, String... calls) {
    List<Column> output = new ArrayList<>();
    grouping.forEach(ref -> output.add(input.get(find(ref, input))));
    Map<String, AggregateExpression> functions = new HashMap<>();
    List<String> described = new ArrayList<>();
    for (int i = 0; i < calls.length; i++) {
      Call call = parse(calls[i], input);
      String id = "e" + i;
      output.add(new Column(id, calls[i], call.function.type(), true));
      functions.put(id,
          new AggregateExpression(call.function.function(), Complete$.MODULE$, call.distinct,
              scala.Option.empty(),
              org.apache.spark.sql.catalyst.expressions.NamedExpression.newExprId()));
      described.add("{call: '" + id + "', out: '" + id + "', distinct: " + call.distinct
          + ", args: [" + (call.arg < 0 ? "" : ref(call.arg, input))
          + "], filter: " + ref(call.filter, input) + "}");
    }
    String spec = "{op: 'aggregate', state: 'a', " + fields + ", grouping: ["
        + String.join(", ", grouping.stream().map(g -> "'" + g + "'").toList()) + "], calls: ["
        + String.join(", ", described) + "]}";
    CallResolver resolver = new CallResolver() {
      @Override
      public AggregateExpression resolve(String id) {
        return functions.get(id);
      }

      @Override
      public Expression condition(String id, List<Column> columns) {
        return condition;
      }
    };
    return new Fixture(spec, List.of(input), output, resolver, state);
  }

  private static String ref(int position, List<Column> input) {
    return position < 0 ? "null" : "'" + input.get(position).ref() + "'";
  }
}
