package io.groundswell.spark.shims;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.storage.BlockData;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BroadcastBlockId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.io.ChunkedByteBuffer;
import scala.Option;

/**
 * Bytes in the memory of one process that all processes of the application can read, until it
 * dies: Spark's block managers. Names are of letters and digits.
 */
public final class SharedBlocks {
  private static final String OURS = "groundswell";
  private static final long ALONE = Long.MAX_VALUE;
  private static final AtomicLong GROUPS = new AtomicLong(ALONE);

  /** Those that have blocks of this process. */
  private static final Set<Long> USED = ConcurrentHashMap.newKeySet();

  private static final Widened PUT = new Widened(BlockManager.class, "putBlockData");

  private SharedBlocks() {}

  /** Keeps the bytes in this process, on its local disk if memory is short. */
  public static boolean put(String name, byte[] bytes) {
    return put(name, bytes, StorageLevel.MEMORY_AND_DISK_SER());
  }

  /** Names a group of blocks that go together; for the driver. */
  public static long newGroup() {
    return GROUPS.decrementAndGet();
  }

  /** Keeps the bytes on the local disk: what Spark's memory may hold is half of the heap. */
  public static boolean putOnDisk(long group, String name, byte[] bytes) {
    USED.add(group);
    return put(id(group, name), bytes, StorageLevel.DISK_ONLY());
  }

  private static boolean put(String name, byte[] bytes, StorageLevel level) {
    return put(id(name), bytes, level);
  }

  private static boolean put(BlockId id, byte[] bytes, StorageLevel level) {
    if (SparkEnv.get() == null) {
      return false;
    }
    return (boolean) PUT.call(manager(), id, new NioManagedBuffer(ByteBuffer.wrap(bytes)), level,
        Scala.classTag(byte[].class), Scala.none(), false);
  }

  /** A whole block of a group, wherever it is; null if no process that lives has it. */
  public static byte[] of(long group, String name, int length) {
    BlockId id = id(group, name);
    byte[] found = local(id, 0, length);
    return found != null ? found : remote(id);
  }

  /** Lets all processes drop a group's blocks; for the driver. */
  public static void removeGroup(long group) {
    if (SparkEnv.get() == null) {
      return;
    }
    boolean here = USED.remove(group);
    if (here || hasOthers()) {
      manager().master().removeBroadcast(group, true, false);
    }
  }

  /** Whether there may be other processes than this one. */
  private static boolean hasOthers() {
    String master = SparkEnv.get().conf().get("spark.master", "");
    return !master.equals("local") && !master.startsWith("local[");
  }

  /** Bytes that Spark's own cache of this process holds in memory. */
  public static long memoryUsed() {
    return SparkEnv.get() == null ? 0 : SparkEnv.get().memoryManager().storageMemoryUsed();
  }

  /** So many bytes of a block of this process from an offset on; null if it has none. */
  public static byte[] local(String name, long offset, int length) {
    return local(id(name), offset, length);
  }

  private static byte[] local(BlockId id, long offset, int length) {
    Option<BlockData> found = found(id);
    if (found.isEmpty()) {
      return null;
    }
    try {
      byte[] bytes = new byte[length];
      found.get().toByteBuffer().position((int) offset).get(bytes);
      return bytes;
    } finally {
      manager().releaseLockAndDispose(id, found.get(), Scala.none());
    }
  }

  /** The length of a block of this process; -1 if it has none. */
  public static long localLength(String name) {
    BlockId id = id(name);
    Option<BlockData> found = found(id);
    if (found.isEmpty()) {
      return -1;
    }
    long length = found.get().size();
    manager().releaseLockAndDispose(id, found.get(), Scala.none());
    return length;
  }

  /** A whole block of another process; null if none that lives has it. */
  public static byte[] remote(String name) {
    return SparkEnv.get() == null ? null : remote(id(name));
  }

  private static byte[] remote(BlockId id) {
    Option<ChunkedByteBuffer> found = manager().getRemoteBytes(id);
    return found.isEmpty() ? null : found.get().toArray();
  }

  /** Lets all processes drop a block; for the driver. */
  public static void remove(String name) {
    if (SparkEnv.get() == null) {
      return;
    }
    manager().master().removeBlock(id(name));
  }

  /** None without Spark, as in a reader that has no session. */
  private static Option<BlockData> found(BlockId id) {
    if (SparkEnv.get() == null) {
      return Scala.none();
    }
    try {
      return manager().getLocalBytes(id);
    } catch (Exception e) { // Spark fails where a block is removed between its two looks at it
      if (manager().getStatus(id).isEmpty()) {
        return Scala.none();
      }
      throw Scala.unchecked(e);
    }
  }

  private static BlockManager manager() {
    return SparkEnv.get().blockManager();
  }

  /** As pieces of a broadcast that there is not: of all ids, few survive a fetch by their name. */
  static BlockId id(String name) {
    return id(ALONE, name);
  }

  private static BlockId id(long group, String name) {
    return new BroadcastBlockId(group, OURS + "_" + name);
  }
}
