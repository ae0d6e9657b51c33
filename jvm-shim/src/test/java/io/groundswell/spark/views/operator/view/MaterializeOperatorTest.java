package io.groundswell.spark.views.operator.view;

import static io.groundswell.spark.views.operator.Fixture.columns;
import static io.groundswell.spark.views.operator.Fixture.delete;
import static io.groundswell.spark.views.operator.Fixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Snapshot;
import io.groundswell.engine.Transaction;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.Fixture.Change;
import io.groundswell.spark.views.operator.RandomChanges;
import io.groundswell.spark.views.operator.TestState;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.state.BundleCount;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

class MaterializeOperatorTest {
  private static final List<Column> INPUT =
      columns("h0", DataTypes.LongType, "name", DataTypes.StringType, "n", DataTypes.IntegerType);
  private static final List<Column> USER = INPUT.subList(1, 3);

  private static Fixture view() {
    return new Fixture("{op: 'materialize', view: 'top', key: ['h0'], changelog: true, state: 'm',"
            + " fields: ['name', 'n']}",
        List.of(INPUT), INPUT, null);
  }

  private static List<List<Object>> rows(Fixture f) {
    List<List<Object>> rows = new ArrayList<>();
    try (Snapshot snapshot = f.snapshot()) {
      ViewTables.rows(snapshot, 2).forEachRemaining(row -> rows.add(Fixture.values(row, USER)));
    }
    rows.sort(java.util.Comparator.comparing(Object::toString));
    return rows;
  }

  private static List<String> changelog(Fixture f, long epoch) {
    List<String> changes = new ArrayList<>();
    try (Snapshot snapshot = f.snapshot()) {
      ViewTables.changelog(snapshot, epoch, 2)
          .forEachRemaining(
              c -> changes.add(c.type().text() + " " + Fixture.values(c.row(), USER)));
    }
    return changes;
  }

  @Test
  void keepsTheRowsAndThisEpochsChanges() {
    try (Fixture f = view()) {
      f.barrier(List.of(insert(1L, "a", 1), insert(2L, "b", 2), insert(3L, "c", 3)));
      assertEquals(List.of("insert [a, 1]", "insert [b, 2]", "insert [c, 3]"), changelog(f, 0));
      f.barrier(List.of(insert(1L, "a", 9), delete(1L, "a", 1), delete(2L, "b", 2)));
      assertEquals(List.of("update_preimage [a, 1]", "update_postimage [a, 9]", "delete [b, 2]"),
          changelog(f, 1));
      assertEquals(List.of(), changelog(f, 0));
      assertEquals(List.of(List.of("a", 9), List.of("c", 3)), rows(f));
    }
  }

  @Test
  void aShorterChangelogTakesThePlaceOfALongerOne() {
    try (Fixture f = view()) {
      f.barrier(List.of(insert(1L, "a", 1), insert(2L, "b", 2)));
      f.barrier(List.of(insert(3L, "c", 3)));
      assertEquals(List.of("insert [c, 3]"), changelog(f, 1));
      try (Snapshot snapshot = f.snapshot()) {
        RowCursor cursor = snapshot.scan(snapshot.table(ViewTables.CHANGELOG));
        assertTrue(cursor.next() && !cursor.next());
      }
      f.barrier(List.of());
      assertEquals(List.of(), changelog(f, 2));
    }
  }

  @Test
  void aChangeOfHiddenColumnsOnlyIsNone() {
    try (Fixture f = new Fixture(
             "{op: 'materialize', view: 'top', key: ['h0'], changelog: true, state: 'm',"
                 + " fields: ['name']}",
             List.of(INPUT), INPUT, null)) {
      f.barrier(List.of(insert(1L, "a", 1)));
      f.barrier(List.of(delete(1L, "a", 1), insert(1L, "a", 2)));
      assertEquals(List.of(), changelog(f, 1));
      assertEquals(0, f.counters.rowsOut);
    }
  }

  private static Fixture replaced() {
    return new Fixture("{op: 'materialize', view: 'top', key: ['h0'], changelog: true, state: 'm',"
            + " replace: true, fields: ['name', 'n']}",
        List.of(INPUT), INPUT, null);
  }

  @Test
  void ofAViewThatIsReplacedWhatDiffersIsWrittenAndTold() {
    try (Fixture f = replaced()) {
      f.barrier(List.of(insert(1L, "a", 1), insert(2L, "b", 2), insert(3L, "c", 3)));
      f.barrier(List.of(insert(4L, "d", 4), insert(3L, "c", 3), insert(1L, "a", 9)));
      assertEquals(List.of(List.of("a", 9), List.of("c", 3), List.of("d", 4)), rows(f));
      List<String> told = changelog(f, 1);
      assertEquals(
          1, told.indexOf("update_postimage [a, 9]") - told.indexOf("update_preimage [a, 1]"));
      assertEquals(List.of("delete [b, 2]", "insert [d, 4]", "update_postimage [a, 9]",
                       "update_preimage [a, 1]"),
          told.stream().sorted().toList());
      assertEquals(3, f.counters.stateWrites - told.size(), "one write for each row that differs");
      f.barrier(List.of(insert(1L, "a", 9), insert(3L, "c", 3), insert(4L, "d", 4)));
      assertEquals(0, f.counters.stateWrites);
      f.barrier(List.of());
      assertEquals(List.of(), rows(f));
    }
  }

  @Test
  void aReplacedViewRefusesRowsThatNoViewHas() {
    for (Change[] wrong :
        new Change[][] {{delete(1L, "a", 1)}, {insert(1L, "a", 1), insert(1L, "b", 1)}}) {
      try (Fixture f = replaced()) {
        EngineException e = assertThrows(EngineException.class, () -> f.barrier(List.of(wrong)));
        assertEquals(ErrorCode.INCONSISTENT_CHANGELOG, e.code());
      }
    }
  }

  @Test
  void aSecondInsertOrADeleteOfNothingIsAnError() {
    refused("insert of a key that is there, {h0=1}", insert(1L, "again", 1));
    refused("delete of a key that is not there, {h0=2}", delete(2L, "b", 1));
    refused("insert of a key that is there", insert(3L, "a", 1), insert(3L, "b", 1));
  }

  private static void refused(String why, Change... changes) {
    try (Fixture f = view()) {
      f.barrier(List.of(insert(1L, "a", 1)));
      EngineException e = assertThrows(EngineException.class, () -> f.barrier(List.of(changes)));
      assertEquals(ErrorCode.INCONSISTENT_CHANGELOG, e.code());
      assertTrue(e.getMessage().contains("view \"top\": " + why), e.getMessage());
      assertEquals(List.of(List.of("a", 1)), rows(f));
    }
  }

  @Test
  void changesThatDoNotFitAreTakenInPasses() {
    EngineServices.configureShared(0, 1, 1);
    try {
      randomChangesAddUpToTheRowsAndToTheChangelog();
      aSecondInsertOrADeleteOfNothingIsAnError();
    } finally {
      EngineServices.closeShared();
    }
  }

  @Test
  void randomChangesAddUpToTheRowsAndToTheChangelog() {
    Random random = new Random(Fixture.seed("MaterializeOperatorTest"));
    try (Fixture f = view()) {
      Map<Long, List<Object>> kept = new TreeMap<>();
      List<List<Object>> replayed = new ArrayList<>();
      for (int epoch = 0; epoch < 25; epoch++) {
        List<Change> changes = RandomChanges.keyed(
            random, kept, 6, () -> List.of("r" + random.nextInt(2), random.nextInt(2)));
        f.shuffled(random, changes);
        Collection<List<Object>> users =
            kept.values().stream().map(row -> row.subList(1, 3)).toList();
        assertEquals(sorted(users), rows(f));
        try (Snapshot snapshot = f.snapshot()) {
          ViewTables.changelog(snapshot, f.lastEpoch(), 2).forEachRemaining(c -> {
            List<Object> row = Fixture.values(c.row(), USER);
            if (c.type().weight() > 0) {
              replayed.add(row);
            } else {
              assertTrue(replayed.remove(row));
            }
          });
        }
        assertEquals(sorted(users), sorted(replayed));
      }
    }
  }

  private static Fixture tracked(String more) {
    return new Fixture("{op: 'materialize', view: 'top', key: ['h0'], changelog: true,"
            + " tracked: true, state: 'm'," + more + " fields: ['name', 'n']}",
        List.of(INPUT), INPUT, null);
  }

  @Test
  @Reaches(Mark.UPDATE_OF_HIDDEN_COLUMNS)
  void trackedChangesAddUpWithoutARead() {
    Random random = new Random(Fixture.seed("MaterializeOperatorTest.tracked"));
    try (Fixture f = tracked(""); Fixture read = view()) {
      Map<Long, List<Object>> kept = new TreeMap<>();
      for (int epoch = 0; epoch < 25; epoch++) {
        List<Change> changes = RandomChanges.keyed(
            random, kept, 6, () -> List.of("r" + random.nextInt(2), random.nextInt(2)));
        f.barrier(changes);
        read.barrier(changes);
        assertEquals(rows(read), rows(f));
        assertEquals(changelog(read, epoch), changelog(f, epoch));
        assertEquals(read.counters.rowsOut, f.counters.rowsOut);
        try (Transaction tx = f.state.begin()) {
          assertEquals(kept.size(),
              tx.count(tx.createTable(ViewTables.ROWS, TableSpec.Layout.HASHED, true)));
        }
      }
    }
  }

  @Test
  void changesThatComeByGroupsAreKeptByGroups() {
    Random random = new Random(Fixture.seed("MaterializeOperatorTest.grouped"));
    try (Fixture f = tracked(" group: ['name'],"); Fixture read = view()) {
      Map<Long, List<Object>> kept = new TreeMap<>();
      for (int epoch = 0; epoch < 25; epoch++) {
        List<Change> changes = new ArrayList<>();
        for (String group : List.of("a", "b", "c")) { // keys of one group never go to another
          Map<Long, List<Object>> own = new TreeMap<>(kept);
          own.values().removeIf(row -> !row.get(1).equals(group));
          Map<Long, List<Object>> numbered = new TreeMap<>();
          own.forEach((key, row) -> numbered.put(key / 3, withKey(key / 3, row)));
          for (Change change :
              RandomChanges.keyed(random, numbered, 4, () -> List.of(group, random.nextInt(2)))) {
            long key = 3 * (long) change.row().get(0) + "abc".indexOf(group);
            changes.add(new Change(change.weight(), withKey(key, change.row())));
          }
          kept.values().removeIf(row -> row.get(1).equals(group));
          numbered.forEach((key, row) -> {
            long own3 = 3 * key + "abc".indexOf(group);
            kept.put(own3, withKey(own3, row));
          });
        }
        f.barrier(changes);
        read.barrier(changes);
        assertEquals(rows(read), rows(f));
        assertEquals(changelog(read, epoch), changelog(f, epoch));
        assertEquals(read.counters.rowsOut, f.counters.rowsOut);
        f.barrier(List.of());
        read.barrier(List.of());
        assertEquals(kept.size(), bundled(f));
        epoch++;
      }
    }
  }

  private static List<Object> withKey(long key, List<Object> row) {
    List<Object> copy = new ArrayList<>(row);
    copy.set(0, key);
    return copy;
  }

  private static long bundled(Fixture f) {
    OperatorCounters counters = new OperatorCounters();
    try (Transaction tx = f.state.begin()) {
      new BundleCount(tx, BundledView.BUNDLES, counters);
    }
    return counters.bundledRows;
  }

  @Test
  void rowsThatNobodyAsksForByKeyStandInBundles() {
    try (Fixture f = new Fixture(
             "{op: 'materialize', view: 'top', key: ['h0'], appendOnly: true, anywhere: true,"
                 + " state: 'm', fields: ['name', 'n']}",
             List.of(INPUT), INPUT, null)) {
      List<List<Object>> expected = new ArrayList<>();
      long key = 0;
      for (int epoch = 0; epoch < 3; epoch++) {
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
          changes.add(insert(key++, "row " + i, epoch));
          expected.add(List.of("row " + i, epoch));
        }
        f.barrier(changes);
        assertEquals(1000, f.counters.stateWrites);
        assertEquals(sorted(expected), rows(f));
        assertEquals(expected.size(), bundled(f));
      }
      try (Snapshot snapshot = f.snapshot()) {
        List<Long> keys = new ArrayList<>();
        ViewTables.keyed(snapshot, ViewTables.ROWS, 1, 2, TablePart.ALL)
            .forEachRemaining(row -> keys.add(row.getLong(0)));
        assertEquals(java.util.stream.LongStream.range(0, key).boxed().toList(), keys);
      }
      assertThrows(EngineException.class, () -> f.barrier(List.of(delete(1L, "row 1", 0))));
    }
  }

  private static List<List<Object>> sorted(Collection<List<Object>> rows) {
    return rows.stream().sorted(java.util.Comparator.comparing(Object::toString)).toList();
  }

  @Test
  @Reaches(Mark.VIEW_BEGUN_ROW_BY_ROW)
  void aViewThatAnOlderReleaseBeganRowByRowGoesOnSo() {
    String spec = "{op: 'materialize', view: 'top', key: ['h0'], appendOnly: true, state: 'm',"
        + " fields: ['name', 'n']";
    try (TestState state = new TestState()) {
      new Fixture(spec + "}", List.of(INPUT), INPUT, null, state)
          .barrier(List.of(insert(1L, "a", 1)));
      Fixture now = new Fixture(spec + ", anywhere: true}", List.of(INPUT), INPUT, null, state);
      now.barrier(List.of(insert(2L, "b", 2)));
      assertEquals(List.of(List.of("a", 1), List.of("b", 2)), rows(now));
      assertEquals(0, bundled(now));
    }
  }

  @Test
  @Reaches(Mark.GROUP_OF_A_VIEW_GOES)
  void aGroupWhoseLastRowGoesLeavesNothing() {
    try (Fixture f = tracked(" group: ['name'],")) {
      f.barrier(List.of(insert(1L, "a", 1), insert(2L, "a", 2), insert(3L, "b", 3)));
      f.barrier(List.of(delete(1L, "a", 1), delete(2L, "a", 2)));
      assertEquals(List.of(List.of("b", 3)), rows(f));
      try (Snapshot snapshot = f.snapshot()) {
        RowCursor groups = snapshot.scan(snapshot.table(BundledView.BUNDLES));
        assertTrue(groups.next() && !groups.next());
      }
    }
  }
}
