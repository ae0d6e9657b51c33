package io.groundswell.storage;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The only API for the engine's I/O: immutable objects, by name, in one folder.
 *
 * <p>Implementations are safe for use by many threads, survive an interrupted reader, and make an
 * object visible as a whole or not at all.
 */
public interface ObjectStore extends Closeable {
  /** One object as a listing shows it. */
  record ObjectInfo(String name, long length, long modifiedMillis) {}

  /** An object being written; nothing is visible before {@link #commit()}. */
  abstract class ObjectWriter extends OutputStream {
    /** Publishes the object under its name; replaces an older one of that name. */
    public abstract void commit() throws IOException;

    /** Leaves nothing behind; does nothing after {@link #commit()}. */
    @Override public abstract void close() throws IOException;
  }

  /** Where this store is, as a URI or path for messages. */
  String location();

  /** Where an object of that name is, for messages. */
  default String locationOf(String name) {
    return location() + "/" + name;
  }

  /** Starts a new object; missing folders are made. */
  ObjectWriter create(String name) throws IOException;

  /** The same of an object that need not be durable yet, where the store can keep it in memory. */
  default ObjectWriter createPending(String name) throws IOException {
    return create(name);
  }

  /** Writes a whole small object. */
  default void put(String name, byte[] bytes) throws IOException {
    try (ObjectWriter out = create(name)) {
      out.write(bytes);
      out.commit();
    }
  }

  /**
   * Writes a whole small object unless there is one of that name, which no other writer can
   * overtake. What is written must differ from writer to writer: of the same bytes this cannot tell
   * whose they are.
   *
   * @return false if there is another object of that name, which stays
   */
  boolean putNew(String name, byte[] bytes) throws IOException;

  /** The object's length in bytes; {@link java.io.FileNotFoundException} if there is none. */
  long length(String name) throws IOException;

  /** The object's length in bytes; null if there is none. An exception is dear across py4j. */
  default Long lengthIfThere(String name) throws IOException {
    try {
      return length(name);
    } catch (FileNotFoundException | NoSuchFileException none) {
      return null;
    }
  }

  /** Whether there is an object of that name; where there is none, this asks the least. */
  default boolean has(String name) throws IOException {
    return lengthIfThere(name) != null;
  }

  /** All bytes of a small object; null if there is none. */
  default byte[] readIfThere(String name) throws IOException {
    Long length = lengthIfThere(name);
    return length == null ? null : read(name, 0, length.intValue());
  }

  /** Exactly {@code length} bytes from {@code offset}; {@link java.io.EOFException} if fewer. */
  byte[] read(String name, long offset, int length) throws IOException;

  /** As above, into an array's first bytes. */
  default void read(String name, long offset, int length, byte[] into) throws IOException {
    System.arraycopy(read(name, offset, length), 0, into, 0, length);
  }

  /** True if a request costs about as much as a megabyte read with it, as on object stores. */
  default boolean hasHighLatency() {
    return false;
  }

  /** The objects directly in this folder whose name starts with {@code prefix}; empty if none. */
  List<ObjectInfo> list(String prefix) throws IOException;

  /** Those whose name is wanted; each is asked about, for its facts may cost much more. */
  default List<ObjectInfo> list(Predicate<String> wanted) throws IOException {
    return list("").stream().filter(object -> wanted.test(object.name())).toList();
  }

  /**
   * The same in one text, for Python, which pays for each object that it is given: names,
   * ascending, with a slash between them, which no name has.
   *
   * @param beforeMillis only of objects that are older than this
   */
  default String names(String prefix, long beforeMillis) throws IOException {
    return list(prefix)
        .stream()
        .filter(object -> object.modifiedMillis() < beforeMillis)
        .map(ObjectInfo::name)
        .sorted()
        .collect(Collectors.joining("/"));
  }

  /** Removes an object; false if there was none, where that costs no further request. */
  boolean delete(String name) throws IOException;

  /** As {@link #delete(String)} of each, in as few requests as the storage allows. */
  default int deleteAll(List<String> names) throws IOException {
    int deleted = 0;
    for (String name : names) {
      deleted += delete(name) ? 1 : 0;
    }
    return deleted;
  }

  /** Removes what writers that died left behind, if older; returns how many. */
  default int sweep(long olderThanMillis) throws IOException {
    return 0;
  }

  /** The folder of that name inside this one. */
  ObjectStore child(String folder);
}
