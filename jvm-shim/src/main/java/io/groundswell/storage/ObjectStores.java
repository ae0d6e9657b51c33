package io.groundswell.storage;

import org.apache.hadoop.conf.Configuration;

/** Opens the store behind a URI. */
public final class ObjectStores {
  private ObjectStores() {}

  /** Local paths and {@code file:} go through java.nio, the rest through Hadoop. Does no I/O. */
  public static ObjectStore open(String uri, Configuration conf) {
    throw new UnsupportedOperationException();
  }
}
