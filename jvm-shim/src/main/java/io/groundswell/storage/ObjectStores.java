package io.groundswell.storage;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Paths;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Opens the store behind a URI. */
public final class ObjectStores {
  /** Set to true where committed objects must survive a power failure of a local disk. */
  public static final String FSYNC = "groundswell.storage.fsync";

  /** Names of buckets have no colon. */
  private static final Pattern BUCKET = Pattern.compile("(?i)s3[an]?:");

  private ObjectStores() {}

  /**
   * Local paths go through java.nio, the rest through Hadoop. A path without scheme belongs to the
   * default file system of {@code conf}. The JVM's {@link DiskCache}, if there is one, stands
   * before the latter.
   */
  public static ObjectStore open(String uri, Configuration conf) {
    checkNoPassword(uri);
    Path path;
    try {
      path = new Path(uri);
    } catch (IllegalArgumentException e) {
      throw new EngineException(
          ErrorCode.INVALID_ARGUMENT, "'" + uri + "' is not a path: " + e.getMessage(), e);
    }
    String scheme = path.toUri().getScheme();
    if (scheme == null) {
      scheme = FileSystem.getDefaultUri(conf).getScheme();
    }
    if ("file".equals(scheme)) {
      return new LocalObjectStore(Paths.get(path.toUri().getPath()), conf.getBoolean(FSYNC, false));
    }
    try {
      ObjectStore store = new HadoopObjectStore(path, conf);
      DiskCache cache = DiskCache.shared();
      return cache == null ? store : new DiskCachedStore(store, cache);
    } catch (IOException e) {
      throw new EngineException(
          ErrorCode.STORAGE, "cannot open the file system of " + uri + ": " + e.getMessage(), e);
    }
  }

  /** As {@code groundswell/uris.py}: messages of file systems would show it. */
  private static void checkNoPassword(String uri) {
    int start = uri.indexOf("://");
    String authority = start < 0 ? "" : uri.substring(start + 3).split("[/?#]", 2)[0];
    int colon = authority.indexOf(':');
    int at = authority.lastIndexOf('@');
    if (colon >= 0 && (at < 0 ? BUCKET.matcher(uri).lookingAt() : colon < at)) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "the location " + uri.substring(0, start) + "://*** has a password in it, which logs "
              + "would show. Give it to Hadoop, as spark.hadoop.fs.s3a.secret.key or by a "
              + "credential provider");
    }
  }
}
