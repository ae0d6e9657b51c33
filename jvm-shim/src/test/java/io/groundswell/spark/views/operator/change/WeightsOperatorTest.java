package io.groundswell.spark.views.operator.change;

import static io.groundswell.spark.views.operator.Fixture.delete;
import static io.groundswell.spark.views.operator.Fixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.spi.Column;
import java.util.List;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

class WeightsOperatorTest {
  @Test
  void changeTypesBecomeWeights() {
    List<Column> input = Fixture.columns("v", DataTypes.StringType, "type", DataTypes.StringType);
    try (Fixture f = new Fixture(
             "{op: 'signs', changeType: 'type'}", List.of(input), input.subList(0, 1), null)) {
      assertEquals(List.of(insert("a"), delete("b"), insert("c"), delete((Object) null)),
          f.barrier(List.of(insert("a", "insert"), insert("b", "update_preimage"),
              insert("c", "update_postimage"), insert(null, "delete"))));
    }
  }
}
