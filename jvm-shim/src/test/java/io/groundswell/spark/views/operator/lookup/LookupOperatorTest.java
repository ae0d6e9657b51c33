package io.groundswell.spark.views.operator.lookup;

import static io.groundswell.spark.views.operator.Fixture.columns;
import static io.groundswell.spark.views.operator.Fixture.delete;
import static io.groundswell.spark.views.operator.Fixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.engine.EngineServices;
import io.groundswell.error.EngineException;
import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.Fixture.Change;
import io.groundswell.spark.views.operator.TestState;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

/** An index, lookups of it before and after a barrier's changes, and netting. */
class LookupOperatorTest {
  private static final List<Column> TABLE =
      columns("tid", DataTypes.LongType, "tk", DataTypes.StringType, "tv", DataTypes.StringType);
  private static final List<Column> STREAM =
      columns("sid", DataTypes.LongType, "sk", DataTypes.StringType, "sv", DataTypes.StringType);
  private static final List<Column> PAIR = columns("sid", DataTypes.LongType, "sk",
      DataTypes.StringType, "sv", DataTypes.StringType, "rv", DataTypes.StringType);
  private static final String LOOKUP =
      "{op: 'lookup', reads: 'i', keys: ['sk'], deltaKeys: ['tk'], key: [0],"
      + " rowTypes: ['long', 'string', 'string'], index: [1], row: [{ref: 'rv', at: 2}],"
      + " equal: [EQUAL]}";

  private final TestState state = new TestState();
  private final Fixture arrange =
      new Fixture("{op: 'arrange', index: ['tk'], key: ['tid'], name: 'i', state: 'i'}",
          List.of(TABLE), TABLE, null, state);
  private final Fixture old =
      new Fixture(LOOKUP.replace("EQUAL", ""), List.of(STREAM), PAIR, null, state);
  private final Fixture now =
      new Fixture(LOOKUP.replace("EQUAL", ""), List.of(STREAM, TABLE), PAIR, null, state);

  @Test
  void aLookupBeforeTheChangesAndOneAfterThem() {
    arrange.barrier(List.of(insert(1L, "x", "one"), insert(2L, "x", "two"), insert(3L, "y", "?")));
    List<Change> changes = List.of(delete(1L, "x", "one"), insert(1L, "x", "uno"),
        delete(2L, "x", "two"), insert(2L, "z", "two"), insert(4L, "x", "new"));
    List<Change> stream = List.of(delete(7L, "x", "s"), insert(8L, "z", "s"));
    assertEquals(
        List.of(delete(7L, "x", "s", "one"), delete(7L, "x", "s", "two")), old.barrier(stream));
    assertEquals(0, old.counters.stateWrites);
    assertEquals(List.of(delete(7L, "x", "s", "uno"), delete(7L, "x", "s", "new"),
                     insert(8L, "z", "s", "two")),
        now.barrier(stream, changes));
    assertEquals(0, now.counters.stateWrites);
    assertEquals(changes.size(), arrange.barrier(changes).size());
    assertEquals(List.of(insert(9L, "x", "s", "uno"), insert(9L, "x", "s", "new")),
        old.barrier(List.of(insert(9L, "x", "s"))));
  }

  @Test
  void nullsMatchNothingAndArePassedOnButNotKept() {
    List<Change> one = List.of(insert(1L, null, "one"));
    assertEquals(one, arrange.barrier(one));
    assertEquals(0, arrange.counters.stateWrites);
    assertEquals(List.of(), old.barrier(List.of(insert(7L, null, "s"))));
    assertEquals(
        List.of(), now.barrier(List.of(insert(7L, null, "s")), List.of(insert(2L, null, "two"))));
  }

  @Test
  void whatElseIsEqualIsCheckedOnTheRowsFound() {
    arrange.barrier(List.of(insert(1L, "x", "a"), insert(2L, "x", "b"), insert(3L, "x", null)));
    Fixture equal = new Fixture(
        LOOKUP.replace("EQUAL", "{ref: 'sv', at: 2}"), List.of(STREAM), PAIR, null, state);
    assertEquals(List.of(insert(7L, "x", "b", "b")),
        equal.barrier(List.of(insert(7L, "x", "b"), insert(8L, "x", null))));
  }

  @Test
  void aKeyIsReadOnceHoweverManyRowsNameIt() {
    arrange.barrier(List.of(insert(1L, "x", "a"), insert(2L, "y", "b")));
    old.barrier(List.of(insert(7L, "x", "s"), insert(8L, "x", "s"), insert(9L, "x", "s")));
    assertEquals(1, old.counters.stateReads);
  }

  @Test
  @Reaches(Mark.HOT_KEYS_SLICED)
  void everyTaskGivesASliceOfAHotKey() {
    List<Change> rows = new ArrayList<>();
    for (long i = 0; i < 900; i++) {
      rows.add(insert(i, i < 800 ? "hot" : "k" + i, "v"));
    }
    arrange.barrier(rows);
    int hash = hashOf("hot");
    Fixture shared = new Fixture(LOOKUP.replace("EQUAL]", "], hot: [" + hash + "]"),
        List.of(STREAM, TABLE), PAIR, null, state);
    List<Change> stream = List.of(insert(7L, "hot", "s"));
    List<Change> delta = List.of(delete(3L, "hot", "v"), insert(3L, "hot", "w"),
        delete(4L, "hot", "v"), insert(1000L, "hot", "x"));
    List<Change> all = new ArrayList<>();
    for (int task = 0; task < 4; task++) {
      List<Change> slice = shared.slice(task, 4, stream, delta);
      assertTrue(slice.size() > 150 && slice.size() < 250, () -> slice.size() + " rows of 800");
      all.addAll(slice);
    }
    Comparator<Change> order = Comparator.comparing(Change::toString);
    all.sort(order);
    List<Change> whole = new ArrayList<>(now.barrier(stream, delta));
    whole.sort(order);
    assertEquals(whole, all);
  }

  @Test
  void frequentKeysAreFoundAndForgotten() {
    List<Change> rows = new ArrayList<>();
    List<Change> gone = new ArrayList<>();
    for (long i = 0; i < 6000; i++) {
      rows.add(insert(i, i % 2 == 0 ? "hot" : "k" + i, "v"));
      gone.add(delete(i, i % 2 == 0 ? "hot" : "k" + i, "v"));
    }
    arrange.barrier(rows);
    long found = state.frequent().getOrDefault(hashOf("hot"), 0L);
    assertTrue(found > 1500 && found < 4500, () -> found + " of 3000");
    arrange.barrier(gone);
    assertEquals(0L, state.frequent().getOrDefault(hashOf("hot"), 0L));
  }

  private static int hashOf(String key) {
    Projections code = new Projections();
    RowKeys keys = RowKeys.ofIndex(code, TABLE, new int[] {1});
    return keys.hash(
        keys.of(new GenericInternalRow(new Object[] {1L, UTF8String.fromString(key), null, 1})));
  }

  private Fixture kind(String fields, List<Column> output, boolean delta) {
    String spec = LOOKUP.replace("EQUAL]", "], " + fields);
    return new Fixture(spec, delta ? List.of(STREAM, TABLE) : List.of(STREAM), output, null, state);
  }

  @Test
  void otherKindsOfJoinsAskWhetherThereIsAMatch() {
    arrange.barrier(List.of(insert(1L, "x", "one"), insert(2L, "x", "two")));
    List<Change> stream =
        List.of(insert(7L, "x", "s"), delete(8L, "y", "s"), insert(9L, null, "s"));
    assertEquals(List.of(insert(7L, "x", "s", "one"), insert(7L, "x", "s", "two"),
                     delete(8L, "y", "s", null), insert(9L, null, "s", null)),
        kind("joinType: 'left_outer'", PAIR, false).barrier(stream));
    Fixture semi = kind("joinType: 'left_semi'", STREAM, false);
    assertEquals(List.of(insert(7L, "x", "s")), semi.barrier(stream));
    assertEquals(1, semi.counters.stateReads); // one match is enough
    assertEquals(List.of(delete(8L, "y", "s"), insert(9L, null, "s")),
        kind("joinType: 'left_anti'", STREAM, false).barrier(stream));
    assertEquals(List.of(insert(7L, "x", "s")),
        kind("joinType: 'left_anti'", STREAM, true)
            .barrier(
                stream.subList(0, 1), List.of(delete(1L, "x", "one"), delete(2L, "x", "two"))));
  }

  @Test
  void whatTheIndexGainsAndLosesTurnsRowsOfTheStream() {
    arrange.barrier(List.of(insert(1L, "x", "one"), insert(2L, "y", "two")));
    List<Change> stream = List.of(insert(7L, "x", "s"), insert(8L, "y", "s"), insert(9L, "z", "s"));
    List<Change> delta =
        List.of(delete(1L, "x", "one"), insert(3L, "y", "more"), insert(4L, "z", "new"));
    assertEquals(
        List.of(delete(7L, "x", "s", "one"), insert(7L, "x", "s", null),
            insert(8L, "y", "s", "more"), insert(9L, "z", "s", "new"), delete(9L, "z", "s", null)),
        sorted(kind("joinType: 'left_outer', flip: true", PAIR, true).barrier(stream, delta)));
    assertEquals(List.of(delete(7L, "x", "s"), insert(9L, "z", "s")),
        kind("joinType: 'left_semi', flip: true", STREAM, true).barrier(stream, delta));
    assertEquals(List.of(insert(7L, "x", "s"), delete(9L, "z", "s")),
        kind("joinType: 'left_anti', flip: true", STREAM, true).barrier(stream, delta));
    assertThrows(EngineException.class, () -> kind("flip: true", PAIR, true));
  }

  private static List<Change> sorted(List<Change> changes) {
    Comparator<Change> byRow = Comparator.comparing(change -> (Long) change.row().get(0));
    List<Change> sorted = new ArrayList<>(changes);
    sorted.sort(byRow.thenComparing(change -> change.row().get(3) == null));
    return sorted;
  }

  @Test
  void changesThatDoNotFitAreTakenInPasses() {
    EngineServices.configureShared(0, 1, 1);
    try {
      new LookupOperatorTest().aLookupBeforeTheChangesAndOneAfterThem();
      new LookupOperatorTest().nullsMatchNothingAndArePassedOnButNotKept();
      new LookupOperatorTest().whatElseIsEqualIsCheckedOnTheRowsFound();
      new LookupOperatorTest().everyTaskGivesASliceOfAHotKey();
      new LookupOperatorTest().otherKindsOfJoinsAskWhetherThereIsAMatch();
      new LookupOperatorTest().whatTheIndexGainsAndLosesTurnsRowsOfTheStream();
      new LookupOperatorTest().termsOfADeltaJoinCancelOutWhateverTheirOrder();
    } finally {
      EngineServices.closeShared();
    }
  }

  @Test
  void aTableThatInsertsAKeyTwiceIsRefused() {
    assertThrows(EngineException.class,
        () -> arrange.barrier(List.of(insert(1L, "x", "a"), insert(1L, "x", "b"))));
  }

  @Test
  @Reaches(Mark.SECOND_ROW_INSERTED)
  void termsOfADeltaJoinCancelOutWhateverTheirOrder() {
    try (Fixture net = new Fixture("{op: 'net', key: ['sid']}", List.of(STREAM), STREAM, null)) {
      assertEquals(List.of(insert(1L, "b", "r")),
          net.barrier(List.of(delete(1L, "a", "r"), insert(1L, "b", "r"), insert(1L, "a", "r"))));
      assertEquals(List.of(delete(1L, "a", "r"), insert(1L, "b", "s")),
          net.barrier(List.of(insert(1L, "a", "s"), delete(1L, "a", "s"), insert(1L, "b", "s"),
              delete(1L, "a", "r"))));
      assertThrows(EngineException.class,
          () -> net.barrier(List.of(insert(1L, "a", "r"), insert(1L, "b", "r"))));
    }
  }
}
