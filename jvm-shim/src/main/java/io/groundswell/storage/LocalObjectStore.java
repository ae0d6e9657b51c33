package io.groundswell.storage;

import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * Objects as files of a local folder. Reads go through {@link RandomAccessFile}, which interrupts
 * do not reach; an object is written beside its place and renamed.
 */
public final class LocalObjectStore implements ObjectStore {
  /** All stores of the JVM share it, so the number of open files is bounded. */
  private static final HandlePool<RandomAccessFile> HANDLES = new HandlePool<>(256);

  /** Some blocks of an SST go to the system at once. */
  private static final int WRITE_BYTES = 64 << 10;

  /** More is asked for only where it is: who wants more than there is must not cost memory. */
  private static final int UNCHECKED_BYTES = 1 << 20;

  private final Path folder;
  private final String prefix;
  private final boolean fsync;

  /**
   * A store in that folder, which need not exist yet.
   *
   * @param fsync whether an object survives a power failure once committed; it always survives the
   *     end of the process
   */
  public LocalObjectStore(Path folder, boolean fsync) {
    this.folder = folder.toAbsolutePath().normalize();
    this.prefix = this.folder.resolve("_").toString().replaceFirst("_$", "");
    this.fsync = fsync;
  }

  @Override
  public String location() {
    return folder.toString();
  }

  @Override
  public ObjectWriter create(String name) throws IOException {
    File temporary = path(TempNames.forObject(name)).toFile();
    FileOutputStream file;
    try {
      file = new FileOutputStream(temporary);
    } catch (FileNotFoundException noFolder) {
      Files.createDirectories(folder);
      file = new FileOutputStream(temporary);
    }
    return new Writer(
        file, new BufferedOutputStream(file, WRITE_BYTES), temporary.toPath(), path(name));
  }

  private final class Writer extends PublishedWriter {
    private final FileOutputStream file;
    private final BufferedOutputStream buffer;
    private final Path temporary;
    private final Path target;

    Writer(FileOutputStream file, BufferedOutputStream buffer, Path temporary, Path target) {
      super(target.toString(), buffer);
      this.file = file;
      this.buffer = buffer;
      this.temporary = temporary;
      this.target = target;
    }

    @Override
    void publish() throws IOException {
      buffer.flush();
      if (fsync) {
        file.getFD().sync();
      }
      file.close();
      Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
      HANDLES.invalidate(target.toString());
      if (fsync) {
        syncFolder();
      }
    }

    @Override
    void discard() throws IOException {
      file.close();
      Files.deleteIfExists(temporary);
    }
  }

  @Override
  public boolean putNew(String name, byte[] bytes) throws IOException {
    Path target = path(name);
    Path temporary = path(TempNames.forObject(name));
    Files.createDirectories(folder);
    try (FileOutputStream file = new FileOutputStream(temporary.toFile())) {
      file.write(bytes);
      if (fsync) {
        file.getFD().sync();
      }
      if (!NewFile.publish(temporary, target)) {
        return false;
      }
    } catch (IOException e) {
      throw StorageErrors.of(target.toString(), e);
    } finally {
      Files.deleteIfExists(temporary);
    }
    if (fsync) {
      syncFolder();
    }
    return true;
  }

  private void syncFolder() throws IOException {
    try (var channel = java.nio.channels.FileChannel.open(folder)) {
      channel.force(true);
    }
  }

  @Override
  public long length(String name) throws IOException {
    File file = path(name).toFile();
    long length = file.length();
    if (length == 0 && !file.isFile()) {
      throw new FileNotFoundException(file + " does not exist");
    }
    return length;
  }

  @Override
  public byte[] read(String name, long offset, int length) throws IOException {
    return read(name, handle -> readFully(name, handle, offset, length));
  }

  @Override
  public void read(String name, long offset, int length, byte[] into) throws IOException {
    read(name, handle -> readInto(name, handle, offset, length, into));
  }

  private <T> T read(String name, HandlePool.Action<RandomAccessFile, T> action)
      throws IOException {
    String file = prefix + name; // as path(name), which takes longer
    HandlePool.Opener<RandomAccessFile> opener = () -> new RandomAccessFile(file, "r");
    if (FileNames.isImmutable(name)) {
      return HANDLES.with(file, opener, action);
    }
    try (RandomAccessFile handle = opener.open()) {
      return action.run(handle);
    }
  }

  private byte[] readFully(String name, RandomAccessFile handle, long offset, int length)
      throws IOException {
    if (length < 0 || length > UNCHECKED_BYTES && offset > handle.length() - length) {
      throw outside(name, handle, offset, length);
    }
    return readInto(name, handle, offset, length, new byte[length]);
  }

  private byte[] readInto(String name, RandomAccessFile handle, long offset, int length,
      byte[] into) throws IOException {
    if (offset < 0) {
      throw outside(name, handle, offset, length);
    }
    try {
      handle.seek(offset);
      handle.readFully(into, 0, length);
      return into;
    } catch (EOFException e) {
      throw outside(name, handle, offset, length);
    }
  }

  private EOFException outside(String name, RandomAccessFile handle, long offset, int length)
      throws IOException {
    return new EOFException(path(name) + " has " + handle.length() + " bytes; " + length + " from "
        + offset + " on were asked for");
  }

  @Override
  public List<ObjectInfo> list(String prefix) throws IOException {
    return list(name -> name.startsWith(prefix));
  }

  /** Names come with one request, and each file's facts with one more. */
  @Override
  public List<ObjectInfo> list(Predicate<String> wanted) throws IOException {
    String[] names = folder.toFile().list();
    if (names == null && Files.isDirectory(folder)) {
      throw new IOException(folder + " cannot be listed");
    }
    List<ObjectInfo> found = new ArrayList<>();
    for (String name : names == null ? new String[0] : names) {
      if (!TempNames.isTemporary(name) && wanted.test(name)) {
        add(folder.resolve(name), name, found);
      }
    }
    found.sort(Comparator.comparing(ObjectInfo::name));
    return found;
  }

  private static void add(Path file, String name, List<ObjectInfo> found) throws IOException {
    try {
      BasicFileAttributes facts = Files.readAttributes(file, BasicFileAttributes.class);
      if (facts.isRegularFile()) {
        found.add(new ObjectInfo(name, facts.size(), facts.lastModifiedTime().toMillis()));
      }
    } catch (NoSuchFileException gone) {
      // Deleted since it was listed.
    }
  }

  @Override
  public boolean delete(String name) throws IOException {
    Path file = path(name);
    boolean deleted = Files.deleteIfExists(file);
    HANDLES.invalidate(file.toString());
    return deleted;
  }

  @Override
  public int sweep(long olderThanMillis) throws IOException {
    int deleted = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, ".*")) {
      for (Path file : files) {
        if (TempNames.isTemporary(file.getFileName().toString())
            && file.toFile().lastModified() < olderThanMillis && Files.deleteIfExists(file)) {
          deleted++;
        }
      }
    } catch (NoSuchFileException | NotDirectoryException none) {
      return 0;
    }
    return deleted;
  }

  @Override
  public ObjectStore child(String name) {
    return new LocalObjectStore(folder.resolve(name), fsync);
  }

  @Override
  public void close() {
    HANDLES.invalidateAll(prefix);
  }

  private Path path(String name) {
    return folder.resolve(name);
  }
}
