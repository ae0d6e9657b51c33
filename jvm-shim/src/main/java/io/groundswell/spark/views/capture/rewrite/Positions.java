package io.groundswell.spark.views.capture.rewrite;

import io.groundswell.spark.shims.Algebra;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Explode;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Generator;
import org.apache.spark.sql.catalyst.expressions.Inline;
import org.apache.spark.sql.catalyst.expressions.JsonTuple;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.PosExplode;
import org.apache.spark.sql.catalyst.expressions.ReplicateRows;
import org.apache.spark.sql.catalyst.expressions.Stack;
import org.apache.spark.sql.catalyst.expressions.variant.VariantExplode;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Generators as {@code posexplode} of an array or map: with the row's key a position is a key. */
public final class Positions {
  private Positions() {}

  /** The same rows from a generator that says positions; a generator that cannot stays. */
  static LogicalPlan rewrite(Generate generate) {
    List<Attribute> output = Scala.list(generate.generatorOutput());
    Expression generator = (Expression) generate.generator();
    if (generator instanceof Explode explode) {
      return exploded(generate, explode.child(), output, List.copyOf(output));
    } else if (generator instanceof Inline inline) {
      return structs(generate, inline.child(), output);
    } else if (generator instanceof Stack stack) {
      return structs(generate, stacked(stack), output);
    } else if (generator instanceof ReplicateRows replicate) {
      List<Expression> parts = Scala.list(replicate.children());
      Expression times = Algebra.sequence(parts.get(0));
      Attribute number =
          Catalyst.attribute("_number", DataTypes.LongType, true, Catalyst.newExprId());
      return exploded(
          generate, times, List.of(number), named(output, i -> parts.get(i + 1), generate.child()));
    }
    return generate;
  }

  /** The position that tells the rows of one input row apart, or null. */
  public static Attribute position(Generate generate) {
    Expression generator = (Expression) generate.generator();
    return generator instanceof PosExplode || generator instanceof VariantExplode
        ? Scala.list(generate.generatorOutput()).get(0)
        : null;
  }

  /** Whether an input row gives one row at most. */
  public static boolean isSingle(Generate generate) {
    return (Expression) generate.generator() instanceof JsonTuple;
  }

  private static LogicalPlan structs(Generate generate, Expression array, List<Attribute> output) {
    DataType type = ((org.apache.spark.sql.types.ArrayType) array.dataType()).elementType();
    Attribute struct = Catalyst.attribute("_struct", type, true, Catalyst.newExprId());
    return exploded(generate, array, List.of(struct),
        named(output, i -> Catalyst.field(struct, i), generate.child()));
  }

  /** The array that {@code stack(n, ...)} is one row after the other; missing values are null. */
  private static Expression stacked(Stack stack) {
    List<Expression> children = Scala.list(stack.children());
    int rows = ((Number) children.get(0).eval(null)).intValue();
    StructType schema = ((Generator) (Object) stack).elementSchema();
    List<Expression> structs = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      List<Expression> parts = new ArrayList<>();
      for (int field = 0; field < schema.size(); field++) {
        int at = 1 + row * schema.size() + field;
        DataType type = schema.apply(field).dataType();
        Expression value = at < children.size() ? children.get(at) : Algebra.none(type);
        parts.add(Literal.create("c" + field, DataTypes.StringType));
        parts.add(value.dataType().equals(type) ? value : Algebra.cast(value, type));
      }
      structs.add(Algebra.namedStruct(parts));
    }
    return Algebra.array(structs);
  }

  private static List<NamedExpression> named(
      List<Attribute> output, IntFunction<Expression> value, LogicalPlan child) {
    List<NamedExpression> result = new ArrayList<>();
    for (int i = 0; i < output.size(); i++) {
      Attribute to = output.get(i);
      result.add(child.outputSet().contains(to)
              ? to
              : Catalyst.alias(value.apply(i), to.name(), to.exprId()));
    }
    return result;
  }

  /**
   * @param elements what the elements of {@code collection} are called: one column, or key and
   *     value
   * @param given the generator's own columns, over these
   */
  private static LogicalPlan exploded(Generate generate, Expression collection,
      List<Attribute> elements, List<NamedExpression> given) {
    List<Attribute> output = new ArrayList<>();
    output.add(Catalyst.attribute(
        "_position", DataTypes.IntegerType, generate.outer(), Catalyst.newExprId()));
    output.addAll(elements);
    LogicalPlan positions = Algebra.generate((Generator) (Object) new PosExplode(collection),
        generate.outer(), output, generate.child());
    List<NamedExpression> list = new ArrayList<>();
    for (Attribute attribute : Scala.list(generate.output())) {
      NamedExpression made = given.stream()
                                 .filter(g -> g.exprId().equals(attribute.exprId()))
                                 .findFirst()
                                 .orElse(attribute);
      list.add(made);
    }
    return Catalyst.project(list, positions);
  }
}
