package io.groundswell.storage;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * Ranges of immutable objects on the local disk, for storages that are slower than that: a few
 * files that are appended to, of which the oldest goes when there is no more room. Safe for many
 * threads. What is on the disk from an earlier process is found again; what is torn or damaged is
 * a miss. A failing disk costs misses, never an error.
 */
public final class DiskCache implements AutoCloseable {
  /** The oldest of so many files goes at a time. */
  private static final int SEGMENTS = 8;

  /** Processes that may share a folder; each has one of its own in there. */
  private static final int MAX_PROCESSES = 64;

  private static final long LEAST_BYTES = 1 << 20;

  /** A range of an object; {@code object} says where it is, too. */
  record Key(String object, long offset, int length) {}

  private record Place(DiskCacheSegment segment, long position) {}

  private static volatile DiskCache shared;

  private final Path folder;
  private final long segmentBytes;
  private final RandomAccessFile lockFile;
  private final FileLock lock;
  private final Map<Key, Place> places = new ConcurrentHashMap<>();
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();

  // Guarded by this.
  private final Deque<DiskCacheSegment> segments = new ArrayDeque<>();
  private long nextNumber;
  private boolean closed;

  private DiskCache(Path folder, long maxBytes, RandomAccessFile lockFile, FileLock lock) {
    this.folder = folder;
    this.segmentBytes = maxBytes / SEGMENTS;
    this.lockFile = lockFile;
    this.lock = lock;
  }

  /** The JVM's own; null if there is none. */
  public static DiskCache shared() {
    return shared;
  }

  /** Makes the JVM's own, or none if {@code folder} is null; closes the one before. */
  public static synchronized void configureShared(String folder, long maxBytes) {
    DiskCache before = shared;
    shared = null;
    if (before != null) {
      before.close();
    }
    if (folder != null) {
      shared = open(Path.of(folder), maxBytes);
    }
  }

  /**
   * Opens the cache in a folder, which is made if it is missing, with what it holds.
   *
   * @param maxBytes bound of its files, at least 1 MiB
   */
  public static DiskCache open(Path folder, long maxBytes) {
    if (maxBytes < LEAST_BYTES) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "a disk cache of " + maxBytes + " bytes; at least " + LEAST_BYTES + " wanted");
    }
    try {
      for (int i = 0; i < MAX_PROCESSES; i++) {
        Path own = Files.createDirectories(folder.resolve("cache-" + i));
        RandomAccessFile file = new RandomAccessFile(own.resolve("lock").toFile(), "rw");
        FileLock lock = tryLock(file);
        if (lock != null) {
          DiskCache cache = new DiskCache(own, maxBytes, file, lock);
          cache.recover();
          return cache;
        }
        file.close();
      }
    } catch (IOException e) {
      throw new EngineException(
          ErrorCode.STORAGE, "cannot open the disk cache in " + folder + ": " + e, e);
    }
    throw new EngineException(
        ErrorCode.STORAGE, MAX_PROCESSES + " processes use the disk cache in " + folder);
  }

  private static FileLock tryLock(RandomAccessFile file) throws IOException {
    try {
      return file.getChannel().tryLock();
    } catch (OverlappingFileLockException e) { // of this process
      return null;
    }
  }

  private synchronized void recover() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.filter(DiskCacheSegment::isOne).sorted().toList();
    }
    for (Path file : files) {
      DiskCacheSegment segment = DiskCacheSegment.open(file);
      segments.addLast(segment);
      segment.scan((key, position) -> places.put(key, new Place(segment, position)));
      nextNumber = segment.number() + 1;
    }
    while (segments.size() > SEGMENTS || bytes() > segmentBytes * SEGMENTS) {
      dropOldest();
    }
  }

  /** The range, or null. */
  public byte[] get(String object, long offset, int length) {
    Key key = new Key(object, offset, length);
    Place place = places.get(key);
    byte[] bytes = place == null ? null : place.segment().read(key, place.position());
    if (bytes == null) {
      if (place != null) {
        places.remove(key, place);
      }
      misses.increment();
    } else {
      hits.increment();
    }
    return bytes;
  }

  /** Keeps a range, unless it is large. */
  public void put(String object, long offset, byte[] bytes) {
    Key key = new Key(object, offset, bytes.length);
    long size = DiskCacheSegment.size(key);
    if (size > segmentBytes / 4 || places.containsKey(key)) {
      return;
    }
    synchronized (this) {
      if (closed) {
        return;
      }
      try {
        if (segments.isEmpty() || segments.getLast().bytes() + size > segmentBytes) {
          roll();
        }
        DiskCacheSegment last = segments.getLast();
        places.put(key, new Place(last, last.append(key, bytes)));
      } catch (IOException e) { // the disk is full, or gone
        misses.increment();
      }
    }
  }

  private void roll() throws IOException {
    while (segments.size() >= SEGMENTS) {
      dropOldest();
    }
    segments.addLast(DiskCacheSegment.open(DiskCacheSegment.path(folder, nextNumber++)));
  }

  private void dropOldest() throws IOException {
    DiskCacheSegment oldest = segments.removeFirst();
    places.values().removeIf(place -> place.segment() == oldest);
    oldest.delete();
  }

  public long hits() {
    return hits.sum();
  }

  public long misses() {
    return misses.sum();
  }

  /** Of its files. */
  public synchronized long bytes() {
    return segments.stream().mapToLong(DiskCacheSegment::bytes).sum();
  }

  /** What it holds stays on the disk. Reads are misses from now on. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    places.clear();
    try {
      for (DiskCacheSegment segment : segments) {
        segment.close();
      }
      lock.release();
      lockFile.close();
    } catch (IOException e) {
      throw new EngineException(
          ErrorCode.STORAGE, "cannot close the disk cache in " + folder + ": " + e, e);
    }
  }
}
