package io.groundswell.compaction;

import io.groundswell.storage.ObjectStore.ObjectWriter;
import java.io.ByteArrayOutputStream;
import java.util.Map;

/** A file of a merge that stays in memory until a commit writes it. */
final class CarriedFile extends ObjectWriter {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final String name;
  private final Map<String, byte[]> files;

  /** Puts itself among {@code files} when it is whole. */
  CarriedFile(String name, Map<String, byte[]> files) {
    this.name = name;
    this.files = files;
  }

  @Override
  public void write(int value) {
    bytes.write(value);
  }

  @Override
  public void write(byte[] source, int offset, int length) {
    bytes.write(source, offset, length);
  }

  @Override
  public void commit() {
    files.put(name, bytes.toByteArray());
  }

  @Override
  public void close() {}
}
