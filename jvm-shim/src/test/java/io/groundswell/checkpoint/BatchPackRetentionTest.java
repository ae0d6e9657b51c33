package io.groundswell.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.groundswell.storage.Mark;
import io.groundswell.storage.ObjectStore.ObjectInfo;
import io.groundswell.storage.Reaches;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BatchPackRetentionTest {
  private static final String OWNER = "01a1fead686f51d3d094";

  private static String index(long version) {
    return PackNames.index(version, OWNER);
  }

  /**
   * The index of version 7 may be that of an attempt that was never recorded: version 7 itself then
   * stands on what the index below it needs.
   */
  @Test
  void packsOutliveTheIndexOfAnAttemptThatWasNeverRecorded() {
    List<String> names = new ArrayList<>();
    for (long version = 1; version <= 9; version++) {
      names.add(index(version));
    }
    Set<Long> bases = BatchPackRetention.baseIndexes(names, 7);
    assertEquals(Set.of(4L, 5L, 6L, 7L), bases);
    assertEquals(
        List.of(index(1), index(2), index(3)), BatchPackRetention.deletable(names, Set.of(), 7));
  }

  @Test
  @Reaches(Mark.PACK_IS_SPARSE)
  void sparsePacksAreOldAndMostlyDead() {
    List<ObjectInfo> objects = new ArrayList<>();
    Map<String, Long> live = new HashMap<>();
    for (long version = 1; version <= 6; version++) {
      String pack = PackNames.pack(version, OWNER);
      objects.add(new ObjectInfo(pack, 1_000, 0));
      live.put(pack, 150 * version); // 15 %, 30 %, 45 %, ...
    }
    objects.add(new ObjectInfo(PackNames.pack(0, OWNER), 1_000, 0)); // dead: it just goes
    assertEquals(Set.of(PackNames.pack(1, OWNER), PackNames.pack(2, OWNER)),
        BatchPackRetention.sparse(objects, live, 5));
    assertEquals(Set.of(PackNames.pack(1, OWNER)), BatchPackRetention.sparse(objects, live, 2));
    live.replaceAll((pack, bytes) -> 30L << 20);
    objects.replaceAll(pack -> new ObjectInfo(pack.name(), 100L << 20, 0));
    assertEquals(1, BatchPackRetention.sparse(objects, live, 5).size(), "not too much at once");
  }

  @Test
  void anIndexWithoutOneBelowIsItsOwnBase() {
    assertEquals(Set.of(3L), BatchPackRetention.baseIndexes(List.of(index(3), index(8)), 3));
    assertEquals(Set.of(), BatchPackRetention.baseIndexes(List.of(index(8)), 7));
  }
}
