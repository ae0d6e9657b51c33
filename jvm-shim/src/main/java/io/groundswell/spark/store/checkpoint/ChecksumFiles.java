package io.groundswell.spark.store.checkpoint;

import java.nio.file.Path;

/** The names of the checksum files that Hadoop's local file system keeps beside its files. */
final class ChecksumFiles {
  private ChecksumFiles() {}

  static Path of(Path file) {
    return file.resolveSibling("." + file.getFileName() + ".crc");
  }

  static boolean is(Path file) {
    String name = file.getFileName().toString();
    return name.startsWith(".") && name.endsWith(".crc");
  }
}
