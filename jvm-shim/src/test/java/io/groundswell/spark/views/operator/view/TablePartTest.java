package io.groundswell.spark.views.operator.view;

import static io.groundswell.spark.views.operator.Fixture.columns;
import static io.groundswell.spark.views.operator.Fixture.delete;
import static io.groundswell.spark.views.operator.Fixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.engine.Snapshot;
import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.Fixture.Change;
import io.groundswell.spark.views.operator.spi.ChangeType;
import io.groundswell.spark.views.operator.spi.Column;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

/** Every row of a view is in exactly one of its parts. */
class TablePartTest {
  private static final List<Column> INPUT =
      columns("h0", DataTypes.LongType, "name", DataTypes.StringType, "n", DataTypes.IntegerType);

  private static Fixture view(String more) {
    return new Fixture("{op: 'materialize', view: 'top', key: ['h0'], state: 'm'," + more
            + " fields: ['name', 'n']}",
        List.of(INPUT), INPUT, null);
  }

  private static List<String> read(Snapshot snapshot, TablePart part) {
    List<String> found = new ArrayList<>();
    Iterator<InternalRow> rows = ViewTables.keyed(snapshot, ViewTables.ROWS, 1, 2, part);
    while (rows.hasNext()) {
      found.add(String.valueOf(Fixture.values(rows.next(), INPUT)));
    }
    return found;
  }

  /** How many of the parts have rows. */
  private static int check(Snapshot snapshot, int count) {
    List<String> wanted = read(snapshot, TablePart.ALL);
    List<String> found = new ArrayList<>();
    int filled = 0;
    for (int number = 0; number < count; number++) {
      List<String> rows = read(snapshot, new TablePart(number, count));
      filled += rows.isEmpty() ? 0 : 1;
      found.addAll(rows);
    }
    wanted.sort(null);
    found.sort(null);
    assertEquals(wanted, found, count + " parts");
    return filled;
  }

  private static void fill(Fixture view, int barriers, int rows) {
    for (int barrier = 0; barrier < barriers; barrier++) {
      List<Change> changes = new ArrayList<>();
      for (int i = 0; i < rows; i++) {
        changes.add(insert((long) barrier * rows + i, "n" + i % 5, i));
      }
      view.barrier(changes);
    }
  }

  @Test
  void rowsByKeyAreCutByTheirHash() {
    try (Fixture f = view("")) {
      fill(f, 6, 200);
      f.barrier(List.of(delete(3L, "n3", 3), delete(4L, "n4", 4), insert(4L, "other", 4)));
      try (Snapshot snapshot = f.snapshot()) {
        assertEquals(1, check(snapshot, 1));
        assertEquals(2, check(snapshot, 2));
        assertEquals(7, check(snapshot, 7));
        assertTrue(check(snapshot, TablePart.MOST) > TablePart.MOST / 2);
      }
    }
  }

  @Test
  void rowsInTheOrderInWhichTheyCameAreCutBetweenCommits() {
    try (Fixture f = view(" appendOnly: true, anywhere: true,")) {
      fill(f, 10, 30);
      try (Snapshot snapshot = f.snapshot()) {
        assertEquals(1, check(snapshot, 1));
        assertEquals(3, check(snapshot, 3));
        assertEquals(10, check(snapshot, 10));
        assertEquals(10, check(snapshot, 64));
      }
    }
  }

  @Test
  void groupsAreCutByTheirHash() {
    try (Fixture f = view(" tracked: true, group: ['name'],")) {
      fill(f, 1, 100);
      try (Snapshot snapshot = f.snapshot()) {
        assertTrue(check(snapshot, 50) > 1);
        assertEquals(100, read(snapshot, TablePart.ALL).size());
      }
    }
  }

  @Test
  void anEmptyViewHasNoPartWithRows() {
    try (Fixture f = view("")) {
      f.barrier(List.of());
      try (Snapshot snapshot = f.snapshot()) {
        assertEquals(0, check(snapshot, 4));
      }
    }
  }

  @Test
  void thereAreNoOtherParts() {
    for (int[] wrong : new int[][] {{-1, 2}, {2, 2}, {0, TablePart.MOST + 1}}) {
      assertThrows(IllegalArgumentException.class, () -> new TablePart(wrong[0], wrong[1]));
    }
  }

  @Test
  void changesAreToldWithTheirKeys() {
    try (Fixture f = view("")) {
      fill(f, 1, 3);
      try (Snapshot first = f.snapshot()) {
        f.barrier(List.of(delete(1L, "n1", 1), insert(1L, "new", 1), insert(9L, "nine", 9)));
        try (Snapshot second = f.snapshot()) {
          List<String> told = new ArrayList<>();
          ViewDiff
              .keyed(first, List.of(second), ViewTables.ROWS, 1, 2,
                  row
                  -> true,
                  (type, key, row)
                      -> (type == ChangeType.DELETE || type == ChangeType.UPDATE_PREIMAGE ? "-"
                                                                                          : "+")
                      + key.getLong(0) + row.getUTF8String(0))
              .forEachRemaining(told::add);
          told.sort(null);
          assertEquals(List.of("+1new", "+9nine", "-1n1"), told);
        }
      }
    }
  }
}
