package io.groundswell.spark.views.operator.view;

import static io.groundswell.spark.views.operator.Fixture.columns;
import static io.groundswell.spark.views.operator.Fixture.delete;
import static io.groundswell.spark.views.operator.Fixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.Iterators;
import io.groundswell.engine.Snapshot;
import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.Fixture.Change;
import io.groundswell.spark.views.operator.spi.Column;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

/** What commits say that they changed, beside the changelog that was written with them. */
class ViewDiffTest {
  private static final List<Column> INPUT =
      columns("h0", DataTypes.LongType, "name", DataTypes.StringType, "n", DataTypes.IntegerType);
  private static final List<Column> USER = INPUT.subList(1, 3);

  private static Fixture view(String more) {
    return new Fixture("{op: 'materialize', view: 'top', key: ['h0'], changelog: true, state: 'm',"
            + more + " fields: ['name', 'n']}",
        List.of(INPUT), INPUT, null);
  }

  private static List<String> told(Iterator<ViewTables.ViewChange> changes) {
    List<String> all = new ArrayList<>();
    changes.forEachRemaining(c -> all.add(c.type().text() + " " + Fixture.values(c.row(), USER)));
    all.sort(null);
    return all;
  }

  private static List<String> diff(Snapshot before, List<Snapshot> commits) {
    return told(ViewDiff.between(before, commits, 2, row -> true));
  }

  @Test
  void isTheChangelogOfEachCommit() {
    for (long seed = 0; seed < 10; seed++) {
      Random random = new Random(seed);
      Map<Long, Object[]> now = new TreeMap<>();
      List<Snapshot> commits = new ArrayList<>();
      try (Fixture f = view("")) {
        for (int epoch = 0; epoch < 12; epoch++) {
          List<Change> changes = new ArrayList<>();
          for (long key = 0; key < 12; key++) {
            if (random.nextInt(3) > 0) {
              continue;
            }
            Object[] old = now.remove(key);
            if (old != null) {
              changes.add(delete(key, old[0], old[1]));
            }
            if (old == null || random.nextBoolean()) {
              Object[] next = {"r" + random.nextInt(2), random.nextInt(2)};
              now.put(key, next);
              changes.add(insert(key, next[0], next[1]));
            }
          }
          f.barrier(changes);
          commits.add(f.snapshot());
          Snapshot before = epoch == 0 ? null : commits.get(epoch - 1);
          Snapshot after = commits.get(epoch);
          assertEquals(told(ViewTables.changelog(after, epoch, 2)), diff(before, List.of(after)),
              "seed " + seed + ", epoch " + epoch);
        }
        assertEquals(told(all(commits.get(11))), diff(null, commits), "net of all, seed " + seed);
        commits.forEach(Snapshot::close);
      }
    }
  }

  @Test
  void keysOfSeveralCommitsAreNotHeld() {
    com.sun.management.ThreadMXBean thread =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    List<Snapshot> commits = new ArrayList<>();
    try (Fixture f = view("")) {
      for (int commit = 0; commit < 3; commit++) {
        List<Change> changes = new ArrayList<>();
        for (long key = commit; key < 60_000; key += 3) {
          changes.add(insert(key, "a", commit));
        }
        f.barrier(changes);
        commits.add(f.snapshot());
      }
      long before = thread.getCurrentThreadAllocatedBytes();
      Iterator<ViewTables.ViewChange> changes = ViewDiff.between(null, commits, 2, row -> true);
      changes.next();
      long allocated = thread.getCurrentThreadAllocatedBytes() - before;
      assertTrue(allocated < 2 << 20, allocated + " bytes to tell the first of 60,000 changes");
      assertEquals(59_999, Iterators.size(changes));
    }
    commits.forEach(Snapshot::close);
  }

  private static Iterator<ViewTables.ViewChange> all(Snapshot snapshot) {
    List<ViewTables.ViewChange> rows = new ArrayList<>();
    Iterator<InternalRow> found = ViewTables.rows(snapshot, 2);
    while (found.hasNext()) {
      rows.add(new ViewTables.ViewChange(
          io.groundswell.spark.views.operator.spi.ChangeType.INSERT, found.next().copy()));
    }
    return rows.iterator();
  }

  @Test
  void rowsInBundlesAreToldOneByOne() {
    try (Fixture f = view(" appendOnly: true, anywhere: true,")) {
      f.barrier(List.of(insert(1L, "a", 1), insert(2L, "a", 1)));
      try (Snapshot first = f.snapshot()) {
        assertEquals(List.of("insert [a, 1]", "insert [a, 1]"), diff(null, List.of(first)));
        f.barrier(List.of(insert(3L, "b", 2)));
        try (Snapshot second = f.snapshot()) {
          assertEquals(List.of("insert [b, 2]"), diff(first, List.of(second)));
        }
      }
    }
  }

  @Test
  void aRowThatReadersDoNotSeeIsNotThere() {
    try (Fixture f = view("")) {
      f.barrier(List.of(insert(1L, "hidden", 1), insert(2L, "b", 1)));
      try (Snapshot first = f.snapshot()) {
        f.barrier(List.of(delete(1L, "hidden", 1), insert(1L, "a", 1), delete(2L, "b", 1),
            insert(2L, "hidden", 2)));
        try (Snapshot second = f.snapshot()) {
          assertEquals(List.of("delete [b, 1]", "insert [a, 1]"),
              told(ViewDiff.between(first, List.of(second), 2,
                  row -> !row.getUTF8String(0).toString().equals("hidden"))));
        }
      }
    }
  }
}
