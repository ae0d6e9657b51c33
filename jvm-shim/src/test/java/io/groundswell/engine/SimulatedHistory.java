package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.groundswell.storage.FileNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Every commit that lies on the simulated disk, and what it should hold. */
final class SimulatedHistory {
  /**
   * One commit object.
   *
   * @param torn only half of it is there
   * @param orphan its base was retired by another process before it was made: the files may be
   *     gone, so reads may be refused, but never wrong
   */
  record Attempt(StoreModel model, boolean torn, boolean orphan) {
    long version() {
      return model.version;
    }
  }

  private static final Attempt NOTHING = new Attempt(StoreModel.empty(), false, false);

  private final Set<String> objects;
  private final Map<String, Attempt> byName = new HashMap<>();
  private final List<Attempt> readable = new ArrayList<>(List.of(NOTHING));
  private Attempt newest = NOTHING;
  private long floor;

  /** @param objects names on the disk, as they are at any time */
  SimulatedHistory(Set<String> objects) {
    this.objects = objects;
  }

  /** The last commit whose writer heard that it was done, of the highest version. */
  Attempt newest() {
    return newest;
  }

  /** No version below this one can be counted on. */
  long floor() {
    return floor;
  }

  /** The empty version and all whole commits from the floor on, in the order they were made. */
  List<Attempt> readable() {
    return readable;
  }

  /** The commit of that version and id. */
  Attempt find(long version, String id) {
    if (version == 0) {
      return NOTHING;
    }
    Attempt found = byName.get(FileNames.commit(version, id));
    assertNotNull(found, "version " + version + ", id " + id + " was never committed");
    return found;
  }

  /** True if some attempt at that version may have lost files. */
  boolean anyOrphan(long version) {
    return byName.values().stream().anyMatch(one -> one.orphan && one.version() == version);
  }

  /** True if half a commit object lies there. */
  boolean anyTorn() {
    return byName.entrySet().stream().anyMatch(
        one -> one.getValue().torn && objects.contains(one.getKey()));
  }

  /**
   * Takes in what a step put on the disk: nothing, or the commit of that batch.
   *
   * @param batch what the step tried to commit, or null
   * @param acknowledged the id that its writer heard of, or null
   */
  void tookPlace(StoreModel batch, String acknowledged, boolean orphan, Set<String> torn) {
    Set<String> made = new HashSet<>(objects);
    made.removeAll(byName.keySet());
    made.removeIf(name -> !FileNames.parse(name).commit());
    if (acknowledged != null) {
      assertEquals(Set.of(FileNames.commit(batch.version, acknowledged)), made,
          "what was acknowledged is not what appeared");
    }
    for (String name : made) {
      assertNotNull(batch, name + " appeared, but nobody committed");
      FileNames.Parsed parsed = FileNames.parse(name);
      assertEquals(batch.version, parsed.version(), name + " is not the batch's version");
      Attempt one = new Attempt(batch.committed(parsed.id()), torn.contains(name), orphan);
      byName.put(name, one);
      if (!one.torn && one.version() >= floor) {
        readable.add(one);
        if (acknowledged != null && !orphan && one.version() >= newest.version()) {
          newest = one;
        }
      }
    }
  }

  /** Versions below are being deleted. */
  void retire(long oldest) {
    floor = Math.max(floor, oldest);
    readable.removeIf(one -> one.version() > 0 && one.version() < floor);
  }
}
