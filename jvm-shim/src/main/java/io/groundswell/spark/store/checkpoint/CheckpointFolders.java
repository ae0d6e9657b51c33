package io.groundswell.spark.store.checkpoint;

import com.google.common.collect.MapMaker;
import io.groundswell.checkpoint.BatchPacks;
import io.groundswell.checkpoint.PackNames;
import io.groundswell.storage.ObjectStores;
import java.util.concurrent.ConcurrentMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** One folder of packs for each checkpoint, shared by all stores of the JVM while in use. */
public final class CheckpointFolders {
  private static final ConcurrentMap<String, BatchPacks> OPEN =
      new MapMaker().weakValues().makeMap();

  private CheckpointFolders() {}

  /** How a folder that stores are in is called, whoever asks. */
  static String nameOf(Path root, Configuration conf) {
    String scheme = root.toUri().getScheme();
    if (scheme == null) {
      scheme = FileSystem.getDefaultUri(conf).getScheme();
    }
    Path named = "file".equals(scheme)
        ? new Path("file", null, Path.getPathWithoutSchemeAndAuthority(root).toUri().getPath())
        : root.makeQualified(FileSystem.getDefaultUri(conf), new Path("/"));
    return named.toString();
  }

  /** The packs of the stores in that folder. Does no I/O. */
  public static BatchPacks of(String root, Configuration conf) {
    return OPEN.computeIfAbsent(nameOf(new Path(root), conf),
        name
        -> new BatchPacks(ObjectStores.open(new Path(name, PackNames.FOLDER).toString(), conf)));
  }

  /** As above, by {@link #nameOf}; null if nobody uses it. */
  static BatchPacks open(String name) {
    return OPEN.get(name);
  }
}
