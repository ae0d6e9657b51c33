package io.groundswell.spark.shims;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.CreateArray;
import org.apache.spark.sql.catalyst.expressions.DirectShufflePartitionID;
import org.apache.spark.sql.catalyst.expressions.Explode;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Murmur3Hash;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.Pmod;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionByExpression;
import org.apache.spark.sql.types.DataTypes;

/** Exchanges that place rows otherwise than by the hash of a key alone. */
public final class Placement {
  /** The seed of {@code HashPartitioning}. */
  private static final int SEED = 42;

  private Placement() {}

  /**
   * Rows by the hash of a column, as {@code HashPartitioning} places them; but a copy in every
   * partition of those whose column has one of these hashes.
   */
  public static LogicalPlan copied(
      LogicalPlan rows, Attribute key, List<Integer> hashes, int partitions) {
    Expression hash = new Murmur3Hash(Scala.seq(List.<Expression>of(key)), SEED);
    List<Expression> everywhere = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      everywhere.add(number(i));
    }
    List<Expression> those = new ArrayList<>();
    hashes.forEach(each -> those.add(number(each)));
    Expression places = new If(new In(hash, Scala.seq(those)), array(everywhere),
        array(List.of(new Pmod(hash, number(partitions)))));
    Attribute place =
        Catalyst.attribute("_place", DataTypes.IntegerType, false, Catalyst.newExprId());
    LogicalPlan copies = Algebra.generate(new Explode(places), false, List.of(place), rows);
    LogicalPlan moved = new RepartitionByExpression(
        Scala.seq(List.<Expression>of(new DirectShufflePartitionID(place))), copies,
        scala.Option.apply(partitions), Scala.none());
    return Catalyst.project(new ArrayList<NamedExpression>(Scala.list(rows.output())), moved);
  }

  private static Expression array(List<Expression> elements) {
    return new CreateArray(Scala.seq(elements), false);
  }

  private static Expression number(int value) {
    return Literal.create(value, DataTypes.IntegerType);
  }
}
