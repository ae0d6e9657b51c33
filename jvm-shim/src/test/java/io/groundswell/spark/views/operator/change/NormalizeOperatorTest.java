package io.groundswell.spark.views.operator.change;

import static io.groundswell.spark.views.operator.Fixture.columns;
import static io.groundswell.spark.views.operator.Fixture.delete;
import static io.groundswell.spark.views.operator.Fixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.groundswell.engine.EngineServices;
import io.groundswell.spark.views.contract.barrier.Watermarks;
import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.Fixture.Change;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.EventTimeOperator;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

class NormalizeOperatorTest {
  private static final List<Column> INPUT =
      columns("id", DataTypes.LongType, "name", DataTypes.StringType, "gone", DataTypes.BooleanType,
          "epoch", DataTypes.LongType, "pos", DataTypes.LongType);
  private static final List<Column> OUTPUT = INPUT.subList(0, 2);

  private static Fixture upserts() {
    return new Fixture(
        "{op: 'normalize', mode: 'upsert', key: ['id'], delete: 'gone', position: ['epoch', 'pos'],"
            + " source: 's', state: 'n'}",
        List.of(INPUT), OUTPUT, null);
  }

  @Test
  void anUpsertOfAKeptRowIsAnUpdate() {
    try (Fixture f = upserts()) {
      assertEquals(List.of(insert(1L, "a")), f.barrier(List.of(insert(1L, "a", false, 0L, 0L))));
      assertEquals(List.of(delete(1L, "a"), insert(1L, "b")),
          f.barrier(List.of(insert(1L, "b", null, 1L, 0L))));
      assertEquals(List.of(delete(1L, "b")), f.barrier(List.of(insert(1L, null, true, 2L, 0L))));
    }
  }

  @Test
  void theLastPositionWinsWhateverTheOrder() {
    try (Fixture f = upserts()) {
      assertEquals(List.of(insert(1L, "late")),
          f.barrier(List.of(insert(1L, "mid", false, 0L, 7L), insert(1L, "late", false, 0L, 8L),
              insert(1L, null, true, 0L, 2L))));
    }
  }

  @Test
  void anUpsertThatChangesNothingIsNone() {
    try (Fixture f = upserts()) {
      f.barrier(List.of(insert(1L, null, false, 0L, 0L)));
      assertEquals(List.of(), f.barrier(List.of(insert(1L, null, false, 1L, 0L))));
      assertEquals(List.of(), f.barrier(List.of(insert(2L, null, true, 2L, 0L))));
    }
  }

  @Test
  void withoutPositionsTheLastToComeWins() {
    try (Fixture f = new Fixture(
             "{op: 'normalize', mode: 'upsert', key: ['id'], delete: null, position: null,"
                 + " source: 's', state: 'n'}",
             List.of(INPUT), OUTPUT, null)) {
      assertEquals(List.of(insert(1L, "b")),
          f.barrier(List.of(insert(1L, "a", true, null, null), insert(1L, "b", true, null, null))));
    }
  }

  @Test
  void whatAnUpsertNamesStaysAsItIsInTheRowThatIsThere() {
    List<Column> input = columns("id", DataTypes.LongType, "name", DataTypes.StringType, "gone",
        DataTypes.BooleanType, "epoch", DataTypes.LongType, "pos", DataTypes.LongType, "n",
        DataTypes.LongType, "stays", DataTypes.createArrayType(DataTypes.StringType));
    List<Column> output = List.of(input.get(0), input.get(1), input.get(5));
    Object name = new GenericArrayData(new Object[] {UTF8String.fromString("name")});
    try (Fixture f = new Fixture("{op: 'normalize', mode: 'upsert', key: ['id'], delete: 'gone',"
                 + " position: ['epoch', 'pos'], source: 's', state: 'n', unchanged: 'stays',"
                 + " names: ['id', 'name', 'n']}",
             List.of(input), output, null)) {
      assertEquals(List.of(insert(1L, "a", 2L)),
          f.barrier(List.of(
              insert(1L, "?", false, 0L, 1L, 2L, name), insert(1L, "a", false, 0L, 0L, 1L, null))));
      assertEquals(List.of(delete(1L, "a", 2L), insert(1L, "a", 3L)),
          f.barrier(List.of(insert(1L, "?", false, 1L, 0L, 3L, name))));
      assertEquals(List.of(delete(1L, "a", 3L), insert(1L, "?", 4L)),
          f.barrier(List.of(insert(1L, null, true, 2L, 0L, null, null),
              insert(1L, "?", false, 2L, 1L, 4L, name))));
    }
  }

  @Test
  void upsertsThatDoNotFitAreTakenInPasses() {
    EngineServices.configureShared(0, 1, 1);
    try {
      randomUpsertsKeepTheLastRowOfEachKey();
      theLastPositionWinsWhateverTheOrder();
      withoutPositionsTheLastToComeWins();
      whatAnUpsertNamesStaysAsItIsInTheRowThatIsThere();
    } finally {
      EngineServices.closeShared();
    }
  }

  @Test
  void randomUpsertsKeepTheLastRowOfEachKey() {
    Random random = new Random(Fixture.seed("NormalizeOperatorTest"));
    try (Fixture f = upserts()) {
      Map<List<Object>, List<Object>> given = Fixture.table();
      Map<Long, String> kept = new TreeMap<>();
      for (long epoch = 0; epoch < 30; epoch++) {
        List<Change> changes = new ArrayList<>();
        for (long pos = random.nextInt(12); pos > 0; pos--) {
          changes.add(null);
        }
        for (int pos = 0; pos < changes.size(); pos++) {
          long id = random.nextInt(5);
          boolean gone = random.nextInt(4) == 0;
          String name = random.nextInt(5) == 0 ? null : "" + random.nextInt(3);
          changes.set(pos, insert(id, name, gone, epoch, (long) pos));
          if (gone) {
            kept.remove(id);
          } else {
            kept.put(id, name);
          }
        }
        Fixture.apply(given, f.shuffled(random, changes), 0);
        List<List<Object>> expected = new ArrayList<>();
        kept.forEach((id, name) -> expected.add(Arrays.asList(id, name)));
        assertEquals(expected, new ArrayList<>(given.values()));
      }
    }
  }

  @Test
  @Reaches(Mark.UPSERT_COMES_TOO_LATE)
  void aRowThatTheWatermarkHasPassedStaysAsItIs() {
    List<Column> input = columns(
        "id", DataTypes.LongType, "t", DataTypes.TimestampType, "gone", DataTypes.BooleanType);
    try (Fixture f = new Fixture("{op: 'normalize', mode: 'upsert', key: ['id'], delete: 'gone',"
                 + " position: [], source: 's', state: 'n', watermark: {column: 't', kind: 'time',"
                 + " sources: ['a'], through: []}}",
             List.of(input), input.subList(0, 2), null)) {
      f.barrier(List.of(insert(1L, 10L, false), insert(2L, 40L, false)));
      at(f, new Watermarks(Map.of("a", 0L), Map.of("a", 30L), null));
      assertEquals(List.of(delete(2L, 40L), insert(2L, 50L)),
          f.barrier(List.of(insert(1L, 60L, false), insert(2L, 50L, false))));
      assertEquals(1, f.counters.contradictions);
      assertEquals(List.of(), f.barrier(List.of(insert(1L, null, true))));
      assertEquals(2, f.counters.contradictions);
    }
  }

  @Test
  @Reaches(Mark.DEAD_KEY_COMES_BACK)
  void aRowWhoseLifeIsOverComesBackAsWhatIsWrittenThen() {
    try (Fixture f = new Fixture("{op: 'normalize', mode: 'upsert', key: ['id'], delete: 'gone',"
                 + " position: ['epoch', 'pos'], source: 's', state: 'n', life: 60}",
             List.of(INPUT), OUTPUT, null)) {
      at(f, new Watermarks(Map.of(), Map.of(), 100L));
      f.barrier(List.of(insert(1L, "a", false, 0L, 0L), insert(2L, "b", false, 0L, 1L)));
      at(f, new Watermarks(Map.of(), Map.of(), 200L));
      assertEquals(List.of(delete(1L, "a"), insert(1L, "c"), delete(2L, "b")),
          f.barrier(List.of(insert(1L, "c", false, 1L, 0L))));
      at(f, new Watermarks(Map.of(), Map.of(), 250L));
      assertEquals(List.of(), f.barrier(List.of()), "it lives from then on");
      at(f, new Watermarks(Map.of(), Map.of(), 270L));
      assertEquals(List.of(delete(1L, "c")), f.barrier(List.of()));
    }
  }

  @Test
  @Reaches({Mark.BARRIER_IN_PASSES, Mark.DEAD_KEY_COMES_BACK})
  void upsertsOfRowsThatHaveALifeAreTakenInPasses() {
    EngineServices.configureShared(0, 1, 1);
    long keys = 300;
    try (Fixture f = new Fixture("{op: 'normalize', mode: 'upsert', key: ['id'], delete: 'gone',"
                 + " position: ['epoch', 'pos'], source: 's', state: 'n', life: 60}",
             List.of(INPUT), OUTPUT, null)) {
      at(f, new Watermarks(Map.of(), Map.of(), 100L));
      assertEquals(keys, f.barrier(upserts(keys, 1, "a", 0L)).size());
      at(f, new Watermarks(Map.of(), Map.of(), 150L));
      f.barrier(upserts(keys, 3, "b", 1L));
      at(f, new Watermarks(Map.of(), Map.of(), 170L)); // only what was written at 150 lives
      List<Change> expected = new ArrayList<>();
      for (long id = 0; id < keys; id++) {
        boolean comes = id % 2 == 0;
        String was = id % 3 == 0 ? "b" : "a";
        if (comes || was.equals("a")) {
          expected.add(delete(id, was));
        }
        if (comes) {
          expected.add(insert(id, "c"));
        }
      }
      List<Change> found = new ArrayList<>(f.barrier(upserts(keys, 2, "c", 2L)));
      found.sort(Comparator.comparing(change -> (Long) change.row().get(0)));
      assertEquals(expected, found);
    } finally {
      EngineServices.closeShared();
    }
  }

  private static List<Change> upserts(long keys, int step, String name, long epoch) {
    List<Change> upserts = new ArrayList<>();
    for (long id = 0; id < keys; id += step) {
      upserts.add(insert(id, name, false, epoch, id));
    }
    return upserts;
  }

  private static void at(Fixture f, Watermarks watermarks) {
    ((EventTimeOperator) f.operator).prepare(watermarks);
  }
}
