package io.groundswell.spark.views.operator.change;

import static io.groundswell.spark.views.operator.Fixture.columns;
import static io.groundswell.spark.views.operator.Fixture.delete;
import static io.groundswell.spark.views.operator.Fixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.groundswell.engine.EngineServices;
import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.Fixture.Change;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

class AffectedKeysOperatorTest {
  private static final List<Column> KEYS = columns("k", DataTypes.LongType);

  private static Fixture affected() {
    return new Fixture("{op: 'touched', key: ['k']}", List.of(KEYS), KEYS, null);
  }

  @Test
  void eachKeyIsGivenOnceWhateverItsChanges() {
    try (Fixture f = affected()) {
      assertEquals(List.of(insert(1L), insert(2L)),
          f.barrier(List.of(
              delete(1L), insert((Object) null), insert(1L), insert(2L), delete(2L), insert(2L))));
    }
  }

  @Test
  @Reaches(Mark.BARRIER_IN_PASSES)
  void keysThatDoNotFitAreTakenInPasses() {
    EngineServices.configureShared(0, 1, 1);
    long keys = 300;
    try (Fixture f = affected()) {
      List<Change> changes = new ArrayList<>();
      LongStream.range(0, 2 * keys)
          .forEach(i -> changes.add(i < keys ? delete(i) : insert(i - keys)));
      List<Change> found = new ArrayList<>(f.barrier(changes));
      found.sort(Comparator.comparing(change -> (Long) change.row().get(0)));
      assertEquals(LongStream.range(0, keys).mapToObj(i -> insert(i)).toList(), found);
    } finally {
      EngineServices.closeShared();
    }
  }
}
