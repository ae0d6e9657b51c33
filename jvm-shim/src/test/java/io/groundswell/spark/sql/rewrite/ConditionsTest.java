package io.groundswell.spark.sql.rewrite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GreaterThan;
import org.apache.spark.sql.catalyst.expressions.GreaterThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.LessThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

class ConditionsTest {
  private final Attribute a = column("a", DataTypes.LongType);
  private final Attribute b = column("b", DataTypes.LongType);
  private final Attribute c = column("c", DataTypes.LongType);
  private final Attribute x = column("x", DataTypes.DoubleType);
  private final Attribute y = column("y", DataTypes.DoubleType);

  private static Attribute column(String name, DataType type) {
    return Catalyst.attribute(name, type, true, Catalyst.newExprId());
  }

  private static Expression number(long value) {
    return Literal.create(value, DataTypes.LongType);
  }

  private static boolean imply(Expression wanted, Expression... given) {
    return new Conditions(List.of(given)).imply(wanted);
  }

  @Test
  void aRangeImpliesTheRangesAroundIt() {
    for (long other = 3; other <= 7; other++) {
      boolean above = other <= 5;
      assertEquals(above, imply(more(other), more(5)), "a > 5, a > " + other);
      assertEquals(above, imply(least(other), least(5)), "a >= 5, a >= " + other);
      assertEquals(above, imply(least(other), more(5)), "a > 5, a >= " + other);
      assertEquals(other < 5, imply(more(other), least(5)), "a >= 5, a > " + other);
      boolean below = other >= 5;
      assertEquals(below, imply(less(other), less(5)), "a < 5, a < " + other);
      assertEquals(below, imply(most(other), most(5)), "a <= 5, a <= " + other);
      assertEquals(other > 5, imply(less(other), most(5)), "a <= 5, a < " + other);
      assertFalse(imply(less(other), more(5)));
      assertFalse(imply(more(other), less(5)));
    }
    assertTrue(imply(more(5), new LessThan(number(6), a)));
    assertFalse(imply(new GreaterThan(b, number(1)), more(5)));
  }

  private Expression more(long than) {
    return new GreaterThan(a, number(than));
  }

  private Expression least(long value) {
    return new GreaterThanOrEqual(a, number(value));
  }

  private Expression less(long than) {
    return new LessThan(a, number(than));
  }

  private Expression most(long value) {
    return new LessThanOrEqual(a, number(value));
  }

  @Test
  void valuesImplyWhatHoldsForAllOfThem() {
    Expression some = new In(a, Scala.seq(List.of(number(7), number(9))));
    assertTrue(imply(more(5), some));
    assertFalse(imply(more(7), some));
    assertTrue(imply(new In(a, Scala.seq(List.of(number(9), number(8), number(7)))), some));
    assertFalse(imply(new In(a, Scala.seq(List.of(number(9), number(8)))), some));
    assertTrue(imply(least(5), new EqualTo(a, number(5))));
    assertFalse(imply(new GreaterThan(b, number(1)), new EqualTo(a, number(5))));
  }

  @Test
  void oneOfTwoIsEnough() {
    assertTrue(imply(new Or(more(9), less(5)), less(3)));
    assertFalse(imply(new Or(more(9), less(2)), less(3)));
    assertFalse(imply(less(3), new Or(more(9), less(2))));
  }

  @Test
  void columnsThatAreEqualStandForEachOther() {
    Expression[] equal = {new EqualTo(a, b), new EqualTo(b, c), more(5)};
    assertTrue(imply(new GreaterThan(c, number(3)), equal));
    assertTrue(imply(new EqualTo(c, a), equal));
    assertTrue(new Conditions(List.of(equal)).equal(a, c));
    assertFalse(new Conditions(List.of(equal)).equal(a, x));
  }

  @Test
  void doublesThatAreEqualMayHaveOtherBytes() {
    Expression equal = new EqualTo(x, y);
    assertFalse(new Conditions(List.of(equal)).equal(x, y)); // 0.0 equals -0.0
    Expression zero = new EqualTo(x, Literal.create(0.0, DataTypes.DoubleType));
    assertTrue(imply(zero, zero));
    assertFalse(imply(new LessThanOrEqual(x, Literal.create(1.0, DataTypes.DoubleType)), zero));
  }

  @Test
  void aConditionThatIsNullForNullHoldsForOtherValuesOnly() {
    assertTrue(imply(new IsNotNull(a), more(5)));
    assertTrue(imply(new IsNotNull(a), new EqualTo(a, b)));
    assertTrue(imply(new IsNotNull(a), new In(a, Scala.seq(List.of(number(1))))));
    assertFalse(imply(new IsNotNull(a), new Or(more(5), new EqualTo(b, number(1)))));
    assertFalse(imply(new IsNotNull(b), more(5)));
  }

  @Test
  void whatIsBeyondOtherConditionsIsWhatTheyDoNotImply() {
    Conditions query =
        new Conditions(List.of(more(7), new EqualTo(b, number(1)), new IsNotNull(a)));
    Conditions view = new Conditions(List.of(more(5)));
    assertEquals(List.of(more(7), new EqualTo(b, number(1))), query.beyond(view));
    assertEquals(List.of(), view.beyond(query));
  }
}
