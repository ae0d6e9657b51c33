package io.groundswell.spark.views.dataflow.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.groundswell.checkpoint.Destination;
import io.groundswell.checkpoint.EpochIds;
import io.groundswell.checkpoint.EpochPackRetention.Bounds;
import io.groundswell.checkpoint.EpochPacks;
import io.groundswell.checkpoint.OpenPacks;
import io.groundswell.engine.EpochStore;
import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Snapshot;
import io.groundswell.engine.Transaction;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.contract.commits.RetireRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random lives of a few states whose commits share packs, of a task or of a barrier: tasks that
 * fail or run twice, processes that die between the tasks and the epoch, retention. Every retained
 * epoch is compared with a model, and at the end no pack is there that nobody needs.
 */
class PacksLifeTest {
  private static final List<String> STATES = List.of("view-a", "view-b", "aggregate-c");
  private static final int PARTITIONS = 3;
  private static final int SEEDS = 6;
  private static final int EPOCHS = 50;
  private static final String TABLE = "rows";

  /** What an epoch has, and what it should show. */
  private record
      Epoch(Map<String, List<CommitRef>> commits, Map<String, TreeMap<String, String>> rows) {}

  @TempDir Path folder;

  private final Configuration conf = new Configuration();
  private Random random;

  /** Whether operators' own state is in packs with views. */
  private boolean together;

  private long barriers;

  /** That tasks share packs of; 0: they have packs of their own. */
  private long barrier;

  private String root;
  private PackNeeds needs;
  private final TreeMap<Long, Epoch> epochs = new TreeMap<>();

  @Test
  void everyRetainedEpochIsThereAndNothingElse() throws IOException {
    Long given = Long.getLong("groundswell.seed");
    long first = given == null ? System.nanoTime() : given;
    for (long seed = first; seed < first + (given == null ? SEEDS : 1); seed++) {
      try {
        live(seed);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private void live(long seed) throws IOException {
    random = new Random(seed);
    root = folder + "/" + seed;
    together = random.nextBoolean();
    epochs.clear();
    epochs.put(-1L, nothing());
    needs = new PackNeeds(root, conf);
    for (long epoch = 0; epoch < EPOCHS; epoch++) {
      while (random.nextInt(8) == 0) {
        attempt(epoch); // it dies before the epoch is published
        die();
      }
      epochs.put(epoch, attempt(epoch));
      if (random.nextInt(3) == 0) {
        retire(epoch, Math.max(Math.max(0, epochs.firstKey()), epoch - random.nextInt(6)));
        check(epoch);
      }
      if (random.nextInt(10) == 0) {
        die();
      }
    }
    die(); // and with it the merges that still need files
    retire(EPOCHS - 1, EPOCHS - 1);
    check(EPOCHS - 1);
    assertEquals(needed(epochs.lastEntry().getValue()), new TreeSet<>(packs().names()));
    StoreRegistry.close(root);
  }

  private static Epoch nothing() {
    Map<String, List<CommitRef>> commits = new HashMap<>();
    Map<String, TreeMap<String, String>> rows = new HashMap<>();
    for (String state : STATES) {
      commits.put(state, Commits.none(PARTITIONS));
      for (int partition = 0; partition < PARTITIONS; partition++) {
        rows.put(state + "/" + partition, new TreeMap<>());
      }
    }
    return new Epoch(commits, rows);
  }

  private EpochPacks packs() {
    return StoreRegistry.packsOf(root, conf);
  }

  private void die() {
    StoreRegistry.close(root);
    needs = new PackNeeds(root, conf);
  }

  /** The tasks of one barrier, each with some partitions; what fails is run again. */
  private Epoch attempt(long epoch) throws IOException {
    Epoch before = epochs.lastEntry().getValue();
    Map<String, List<CommitRef>> commits = new HashMap<>();
    before.commits().forEach((state, refs) -> commits.put(state, new ArrayList<>(refs)));
    Map<String, TreeMap<String, String>> rows = new HashMap<>();
    before.rows().forEach((path, old) -> rows.put(path, new TreeMap<>(old)));
    List<String> paths = new ArrayList<>(before.rows().keySet());
    Collections.shuffle(paths, random);
    paths = paths.subList(0, random.nextInt(paths.size() + 1));
    int split = random.nextInt(paths.size() + 1);
    barrier = random.nextBoolean() ? ++barriers : 0;
    for (List<String> task : List.of(paths.subList(0, split), paths.subList(split, paths.size()))) {
      Map<String, Map<String, String>> writes = new HashMap<>();
      task.forEach(path -> writes.put(path, writes()));
      while (random.nextInt(5) == 0) {
        run(epoch, task, before, writes, random.nextBoolean()); // fails, or another one counts
      }
      run(epoch, task, before, writes, true).forEach((path, commit) -> {
        int slash = path.indexOf('/');
        commits.get(path.substring(0, slash))
            .set(Integer.parseInt(path.substring(slash + 1)), commit);
        writes.get(path).forEach((key, value) -> {
          if (value == null) {
            rows.get(path).remove(key);
          } else {
            rows.get(path).put(key, value);
          }
        });
      });
    }
    if (barrier > 0) {
      if (random.nextInt(4) == 0) {
        packs().endShared(barrier); // the process that had them is gone: the barrier runs again
        return attempt(epoch);
      }
      Set<String> names = new TreeSet<>();
      commits.forEach((state, refs) -> refs.forEach(commit -> {
        if (commit.version() > 0 && EpochIds.isPacked(commit.id())
            && EpochIds.epochOf(commit.id()) == epoch) {
          names.add(EpochIds.packOf(commit.id()));
        }
      }));
      assertEquals(List.of(), packs().publishShared(barrier, List.copyOf(names)));
    }
    return new Epoch(commits, rows);
  }

  /** By key; null deletes. */
  private Map<String, String> writes() {
    Map<String, String> writes = new TreeMap<>();
    for (int n = random.nextInt(6); n >= 0; n--) {
      writes.put("k" + random.nextInt(40),
          random.nextInt(4) == 0 ? null : "v" + random.nextInt(1_000_000));
    }
    return writes;
  }

  private Map<String, CommitRef> run(long epoch, List<String> task, Epoch before,
      Map<String, Map<String, String>> writes, boolean succeeds) throws IOException {
    boolean shared = barrier > 0;
    OpenPacks packs = shared ? packs().shared(barrier, epoch) : packs().alone(epoch);
    Map<String, CommitRef> made = new HashMap<>();
    for (String path : task) {
      CommitRef base = commit(before, path);
      Transaction tx =
          StoreRegistry.get(root + "/state/" + path, conf).begin(base.version(), base.id());
      TableSpec table = base.version() == 0 ? tx.createTable(TABLE, TableSpec.Layout.HASHED, true)
                                            : tx.table(TABLE);
      writes.get(path).forEach((key, value) -> {
        byte[] k = key.getBytes(StandardCharsets.US_ASCII);
        if (value == null) {
          tx.delete(table, key.hashCode(), k, 0, k.length);
        } else {
          byte[] v = value.getBytes(StandardCharsets.US_ASCII);
          tx.put(table, key.hashCode(), k, 0, k.length, v, 0, v.length);
        }
      });
      boolean alone = random.nextInt(10) == 0; // as a large one
      int group = together || StateNames.isReadable(path) ? EpochIds.READABLE : EpochIds.OWN;
      Transaction.Commit done = tx.commit(alone ? Destination.ALONE : packs.of(group, path));
      made.put(path, new CommitRef(done.version(), done.id(), 0, done.stateBytes()));
    }
    if (!shared && succeeds) {
      packs.publish();
    }
    if (!shared) {
      packs.discard();
    }
    return made;
  }

  private static CommitRef commit(Epoch epoch, String path) {
    int slash = path.indexOf('/');
    return epoch.commits()
        .get(path.substring(0, slash))
        .get(Integer.parseInt(path.substring(slash + 1)));
  }

  private void retire(long newest, long oldest) throws IOException {
    epochs.headMap(oldest).clear();
    Map<String, List<CommitRef>> first = epochs.get(oldest).commits();
    Map<String, List<CommitRef>> last = epochs.get(newest).commits();
    Map<String, List<CommitRef>> needed = new HashMap<>();
    STATES.forEach(
        state -> needed.put(state, (StateNames.isReadable(state) ? first : last).get(state)));
    RetireRequest request = new RetireRequest(newest, first, needed, last, oldest, newest);
    needed.forEach((state, refs) -> {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        if (refs.get(partition).version() > 1) {
          StoreRegistry.get(root + "/state/" + state + "/" + partition, conf)
              .retire(refs.get(partition).version(), first.get(state).get(partition).version());
        }
      }
    });
    needs.retire(request, new Bounds(oldest, newest), () -> {});
  }

  /** Views of all retained epochs, and the next barrier's base. */
  private void check(long newest) {
    epochs.forEach((epoch, told) -> told.rows().forEach((path, rows) -> {
      if (epoch == newest || epoch >= 0 && StateNames.isReadable(path)) {
        assertEquals(rows, read(path, commit(told, path)), path + " at epoch " + epoch);
      }
    }));
  }

  private TreeMap<String, String> read(String path, CommitRef commit) {
    TreeMap<String, String> rows = new TreeMap<>();
    if (commit.version() == 0) {
      return rows;
    }
    try (Snapshot snapshot = StoreRegistry.get(root + "/state/" + path, conf)
             .snapshot(commit.version(), commit.id());
        RowCursor cursor = snapshot.scan(snapshot.table(TABLE))) {
      while (cursor.next()) {
        rows.put(text(cursor.key()), text(cursor.value()));
      }
    }
    return rows;
  }

  private static String text(Slice slice) {
    return new String(slice.bytes, slice.offset, slice.length, StandardCharsets.US_ASCII);
  }

  /** The packs that an epoch's versions read, by opening them. */
  private Set<String> needed(Epoch epoch) {
    Set<String> found = new HashSet<>();
    epoch.rows().keySet().forEach(path -> {
      CommitRef commit = commit(epoch, path);
      if (commit.version() > 0) {
        EpochStore store = StoreRegistry.get(root + "/state/" + path, conf);
        try (Snapshot snapshot = store.snapshot(commit.version(), commit.id())) {
          found.addAll(store.filesInUse());
        }
        if (EpochIds.isPacked(commit.id())) {
          found.add(EpochIds.packOf(commit.id()));
        }
      }
    });
    found.removeIf(name -> EpochIds.idOf(name) == null);
    return new TreeSet<>(found);
  }
}
