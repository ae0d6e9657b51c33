package io.groundswell.spark.views.dataflow.state;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.EpochStore;
import io.groundswell.engine.StoreOptions;
import io.groundswell.sst.Compression;
import io.groundswell.storage.ObjectStores;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.hadoop.conf.Configuration;

/**
 * The open stores of this JVM, by folder. A store stays open between barriers: what it has read of
 * its files serves the next one.
 */
public final class StoreRegistry {
  private static final ConcurrentMap<String, EpochStore> OPEN = new ConcurrentHashMap<>();

  /**
   * Rows are wide and much alike, keys and words of eight bytes above all: packed, they take a
   * quarter to a fifth. Tasks wait for commits, so those get what packs faster; nobody waits for
   * merges. They take cores from tasks all the same, and a barrier reads little of what is there:
   * so twice the sub-levels that others have.
   */
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withCompactAt(8).withCompression(
          Compression.ZSTD_FAST, Compression.ZSTD);

  private StoreRegistry() {}

  /** The folder of a state; each of its partitions has one inside. */
  public static String folder(String root, String state) {
    return root + "/state/" + state;
  }

  public static EpochStore get(String folder, Configuration conf) {
    return OPEN.computeIfAbsent(
        folder, key -> EpochStore.at(folderOf(key, conf), OPTIONS, EngineServices.shared()));
  }

  /** One partition's folder, with what is ahead of it. */
  static AheadFolder folderOf(String folder, Configuration conf) {
    return new AheadFolder(ObjectStores.open(folder, conf));
  }

  /** Closes the stores below {@code root} that this JVM has open. */
  public static void close(String root) {
    OPEN.forEach((folder, store) -> {
      if (folder.startsWith(root + "/") && OPEN.remove(folder, store)) {
        store.close();
      }
    });
  }
}
