package io.groundswell.spark.operator;

import static io.groundswell.spark.operator.Fixture.columns;
import static io.groundswell.spark.operator.Fixture.delete;
import static io.groundswell.spark.operator.Fixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.groundswell.error.EngineException;
import io.groundswell.spark.operator.Fixture.Change;
import java.util.List;
import org.apache.spark.sql.types.DataTypes;
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
      "{op: 'lookup', reads: 'i', keys: ['sk'], deltaKeys: ['tk'], deltaKey: ['tid'], keyWidth: 1,"
      + " rowTypes: ['long', 'string', 'string'], index: [{at: 1}], row: [{ref: 'rv', at: 2}],"
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
  void nullsMatchNothingAndAreNotKept() {
    assertEquals(List.of(), arrange.barrier(List.of(insert(1L, null, "one"))));
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
  void aTableThatInsertsAKeyTwiceIsRefused() {
    assertThrows(EngineException.class,
        () -> arrange.barrier(List.of(insert(1L, "x", "a"), insert(1L, "x", "b"))));
  }

  @Test
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
