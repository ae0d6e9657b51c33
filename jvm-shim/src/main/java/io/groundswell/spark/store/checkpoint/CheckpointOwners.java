package io.groundswell.spark.store.checkpoint;

import io.groundswell.checkpoint.BatchPacks;
import io.groundswell.checkpoint.OlderOwner;
import io.groundswell.checkpoint.Ownership;
import io.groundswell.storage.ObjectStores;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * The claims of this driver, one for each checkpoint that it uses. A pipeline claims its checkpoint
 * before it starts; any other query with the plugin does when it first writes to its logs.
 */
public final class CheckpointOwners {
  private static final Map<String, Held> HELD = new ConcurrentHashMap<>();

  /**
   * A claim.
   *
   * @param run that it was made for; null for a pipeline, which says when it ends
   */
  private record Held(Ownership ownership, String run) {}

  private CheckpointOwners() {}

  /**
   * Claims a checkpoint for a pipeline.
   *
   * @param above tokens that other names show, should claims have been lost
   */
  public static Ownership claim(String location, String who, long above, Configuration conf)
      throws IOException {
    Ownership made = Ownership.claim(
        ObjectStores.open(folder(location), conf), who, above, System.currentTimeMillis());
    HELD.put(nameOf(location, conf), new Held(made, null));
    return made;
  }

  /** The pipeline with that claim has ended. */
  public static void release(String location, Ownership ownership, Configuration conf)
      throws IOException {
    HELD.computeIfPresent(
        nameOf(location, conf), (name, held) -> held.ownership == ownership ? null : held);
    ownership.end();
  }

  /** The claim of a pipeline; null if the checkpoint is none of one that runs here. */
  static Ownership ofPipeline(String location, Configuration conf) {
    Held held = HELD.get(nameOf(location, conf));
    return held == null || held.run != null ? null : held.ownership;
  }

  /** The claim of a run of any other query; made when first asked for. */
  static Ownership ofRun(String location, String run, Configuration conf) throws IOException {
    String name = nameOf(location, conf);
    Held held = HELD.get(name);
    if (held == null || !run.equals(held.run)) {
      BatchPacks packs = CheckpointFolders.of(new Path(location, "state").toString(), conf);
      long older = OlderOwner.token(packs);
      held = new Held(Ownership.claim(ObjectStores.open(folder(location), conf), "run " + run,
                          older, System.currentTimeMillis()),
          run);
      if (older > 0) {
        OlderOwner.remove(packs);
      }
      HELD.put(name, held);
    }
    return held.ownership;
  }

  private static String folder(String location) {
    return new Path(new Path(location, "groundswell"), Ownership.FOLDER).toString();
  }

  private static String nameOf(String location, Configuration conf) {
    return CheckpointFolders.nameOf(new Path(location), conf);
  }
}
