package io.groundswell.storage;

import com.google.common.collect.Lists;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BulkDelete;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;

/**
 * Objects as files of a Hadoop file system. Where a file appears only when its stream is closed and
 * can be aborted until then (object stores), it is written in place; elsewhere beside it and
 * renamed.
 */
public final class HadoopObjectStore implements ObjectStore {
  /** Attempts for each request, first included. */
  public static final String ATTEMPTS = "groundswell.storage.attempts";

  /** Pause before the second attempt, in milliseconds; doubles each time. */
  public static final String PAUSE = "groundswell.storage.retry.millis";

  /** No further attempt is made so many milliseconds after a request's first one. */
  public static final String LIMIT = "groundswell.storage.retry.limit.millis";

  /** Opening one again may be a request. A state of 2 GB has about so many files. */
  private static final int MAX_IDLE_STREAMS = 32;

  /** More is asked for in steps that double: who wants more than there is must not cost memory. */
  private static final int FIRST_READ = 8 << 20;

  /** S3A's: do not look first whether there is a folder or a file of that name. */
  private static final String WITHOUT_LOOKING = "fs.s3a.create.performance";

  private static final String CONDITIONAL =
      Options.CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE;

  private final FileSystem fs;
  private final Path folder;
  private final Retry retry;
  private final boolean appearsOnClose;
  private final boolean createsOnCondition;
  private final boolean deletesByName;
  private final HandlePool<FSDataInputStream> streams;

  /** A store in that folder, which need not exist yet. */
  public HadoopObjectStore(Path folder, Configuration conf) throws IOException {
    this.fs = folder.getFileSystem(conf);
    this.folder = fs.makeQualified(folder);
    this.retry = new Retry(Math.max(1, conf.getInt(ATTEMPTS, 4)),
        Math.max(0, conf.getLong(PAUSE, 100)), conf.getLong(LIMIT, 60_000));
    this.appearsOnClose =
        fs.hasPathCapability(this.folder, CommonPathCapabilities.ABORTABLE_STREAM);
    this.createsOnCondition = fs.hasPathCapability(this.folder, CONDITIONAL);
    this.deletesByName = "s3a".equals(fs.getUri().getScheme())
        && fs.hasPathCapability(this.folder, CommonPathCapabilities.BULK_DELETE);
    this.streams = new HandlePool<>(MAX_IDLE_STREAMS);
  }

  private HadoopObjectStore(HadoopObjectStore parent, Path folder) {
    this.fs = parent.fs;
    this.folder = folder;
    this.retry = parent.retry;
    this.appearsOnClose = parent.appearsOnClose;
    this.createsOnCondition = parent.createsOnCondition;
    this.deletesByName = parent.deletesByName;
    this.streams = parent.streams;
  }

  @Override
  public String location() {
    return folder.toString();
  }

  @Override
  public ObjectWriter create(String name) throws IOException {
    Path target = path(name);
    Path written = appearsOnClose ? target : path(TempNames.forObject(name));
    return new HadoopWriter(fs, retry, written, target,
        retry.call("create " + written,
            () -> appearsOnClose ? replacing(written) : fs.create(written, true)),
        () -> streams.invalidate(target.toString()));
  }

  /**
   * Where the file system can create on condition (S3 by {@code If-None-Match}), it decides; else a
   * rename, which on HDFS and its like does not replace.
   */
  @Override
  public boolean putNew(String name, byte[] bytes) throws IOException {
    return retry.call("create " + path(name), () -> putNewOnce(name, bytes));
  }

  private boolean putNewOnce(String name, byte[] bytes) throws IOException {
    Path target = path(name);
    Path written = appearsOnClose ? target : path(TempNames.forObject(name));
    try {
      FileStatus there = createsOnCondition ? null : statusIfThere(target);
      if (there != null) {
        return holds(there, bytes);
      }
      try (FSDataOutputStream out =
               createsOnCondition ? onCondition(target) : fs.create(written, true)) {
        out.write(bytes);
      }
      return written.equals(target) || fs.rename(written, target)
          || holds(fs.getFileStatus(target), bytes);
    } catch (FileNotFoundException e) {
      throw e;
    } catch (IOException e) {
      FileStatus there = statusIfThere(target);
      if (there == null) {
        throw e;
      }
      return holds(there, bytes); // refused, or done before and the answer was lost
    } finally {
      if (!written.equals(target)) {
        fs.delete(written, false);
      }
    }
  }

  private FSDataOutputStream onCondition(Path target) throws IOException {
    return (FSDataOutputStream) fs.createFile(target)
        .create()
        .overwrite(true)
        .opt(WITHOUT_LOOKING, true)
        .must(CONDITIONAL, true)
        .build();
  }

  private FSDataOutputStream replacing(Path target) throws IOException {
    return (FSDataOutputStream) fs.createFile(target)
        .create()
        .overwrite(true)
        .recursive()
        .opt(WITHOUT_LOOKING, true)
        .build();
  }

  private FileStatus statusIfThere(Path target) throws IOException {
    try {
      return fs.getFileStatus(target);
    } catch (FileNotFoundException none) {
      return null;
    }
  }

  private boolean holds(FileStatus there, byte[] bytes) throws IOException {
    if (there.getLen() != bytes.length) {
      return false;
    }
    byte[] found = new byte[bytes.length];
    try (FSDataInputStream in = fs.open(there.getPath())) {
      in.readFully(found);
    }
    return Arrays.equals(found, bytes);
  }

  @Override
  public long length(String name) throws IOException {
    Path file = path(name);
    FileStatus status = retry.call("look up " + file, () -> fs.getFileStatus(file));
    if (!status.isFile()) {
      throw new FileNotFoundException(file + " is a folder");
    }
    return status.getLen();
  }

  /** Of S3A's ways to look for a file the only one that does not list when there is none. */
  @SuppressWarnings("deprecation")
  @Override
  public boolean has(String name) throws IOException {
    Path file = path(name);
    return retry.call("look for " + file, () -> fs.isFile(file));
  }

  @Override
  public byte[] readIfThere(String name) throws IOException {
    Path file = path(name);
    try {
      return retry.call("read " + file, () -> {
        try (FSDataInputStream stream = fs.open(file)) {
          return stream.readAllBytes();
        }
      });
    } catch (FileNotFoundException | NoSuchFileException none) {
      return null;
    }
  }

  @Override
  public byte[] read(String name, long offset, int length) throws IOException {
    Path file = path(name);
    if (offset < 0 || length < 0) {
      throw new EOFException(length + " bytes of " + file + " from " + offset + " on");
    }
    return retry.call("read " + file, () -> readOnce(name, file, offset, length));
  }

  @Override
  public boolean hasHighLatency() {
    return true;
  }

  private byte[] readOnce(String name, Path file, long offset, int length) throws IOException {
    HandlePool.Opener<FSDataInputStream> opener = () -> fs.open(file);
    HandlePool.Action<FSDataInputStream, byte[]> action = stream -> {
      byte[] bytes = new byte[Math.min(length, FIRST_READ)];
      int have = 0;
      while (true) {
        stream.readFully(offset + have, bytes, have, bytes.length - have);
        have = bytes.length;
        if (have == length) {
          return bytes;
        }
        bytes = Arrays.copyOf(bytes, (int) Math.min(length, 2L * have));
      }
    };
    if (FileNames.isImmutable(name)) {
      return streams.with(file.toString(), opener, action);
    }
    try (FSDataInputStream stream = opener.open()) {
      return action.run(stream);
    }
  }

  @Override
  public List<ObjectInfo> list(String prefix) throws IOException {
    List<ObjectInfo> found = new ArrayList<>();
    for (FileStatus status : statuses()) {
      String name = status.getPath().getName();
      if (status.isFile() && name.startsWith(prefix) && !TempNames.isTemporary(name)) {
        found.add(new ObjectInfo(name, status.getLen(), status.getModificationTime()));
      }
    }
    found.sort(Comparator.comparing(ObjectInfo::name));
    return found;
  }

  private FileStatus[] statuses() throws IOException {
    try {
      return retry.call("list " + folder, () -> fs.listStatus(folder));
    } catch (FileNotFoundException none) {
      return new FileStatus[0];
    }
  }

  @Override
  public boolean delete(String name) throws IOException {
    Path file = path(name);
    if (deletesByName) {
      return deleteAll(List.of(name)) > 0;
    }
    boolean deleted = retry.call("delete " + file, () -> fs.delete(file, false));
    streams.invalidate(file.toString());
    return deleted;
  }

  /** S3A's delete of a file asks three times more, for it keeps the folder there. */
  @Override
  public int deleteAll(List<String> names) throws IOException {
    if (!deletesByName) {
      return ObjectStore.super.deleteAll(names);
    }
    List<Path> files = names.stream().map(this::path).toList();
    try (BulkDelete bulk = fs.createBulkDelete(folder)) {
      for (List<Path> page : Lists.partition(files, Math.max(1, bulk.pageSize()))) {
        retry.call("delete " + page.size() + " of " + folder, () -> deleteOnce(bulk, page));
        page.forEach(file -> streams.invalidate(file.toString()));
      }
    }
    return names.size();
  }

  private static boolean deleteOnce(BulkDelete bulk, List<Path> page) throws IOException {
    for (Map.Entry<Path, String> failed : bulk.bulkDelete(page)) {
      throw new IOException("cannot delete " + failed.getKey() + ": " + failed.getValue());
    }
    return true;
  }

  @Override
  public int sweep(long olderThanMillis) throws IOException {
    if (appearsOnClose) {
      return 0; // nothing is written beside what it becomes
    }
    int deleted = 0;
    for (FileStatus status : statuses()) {
      if (TempNames.isTemporary(status.getPath().getName())
          && status.getModificationTime() < olderThanMillis && delete(status.getPath().getName())) {
        deleted++;
      }
    }
    return deleted;
  }

  @Override
  public ObjectStore child(String name) {
    return new HadoopObjectStore(this, new Path(folder, name));
  }

  @Override
  public void close() {
    streams.invalidateAll(folder + Path.SEPARATOR);
  }

  private Path path(String name) {
    return new Path(folder, name);
  }
}
