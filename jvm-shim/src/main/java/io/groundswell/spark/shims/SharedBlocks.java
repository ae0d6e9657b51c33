package io.groundswell.spark.shims;

import java.nio.ByteBuffer;
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
  private static final String GROUP = "groundswell";
  private static final Widened PUT = new Widened(BlockManager.class, "putBlockData");

  private SharedBlocks() {}

  /** Keeps the bytes in this process, on its local disk if memory is short. */
  public static boolean put(String name, byte[] bytes) {
    return put(name, bytes, StorageLevel.MEMORY_AND_DISK_SER());
  }

  /** Keeps the bytes on the local disk: what Spark's memory may hold is half of the heap. */
  public static boolean putOnDisk(String name, byte[] bytes) {
    return put(name, bytes, StorageLevel.DISK_ONLY());
  }

  private static boolean put(String name, byte[] bytes, StorageLevel level) {
    if (SparkEnv.get() == null) {
      return false;
    }
    return (boolean) PUT.call(manager(), id(name), new NioManagedBuffer(ByteBuffer.wrap(bytes)),
        level, Scala.classTag(byte[].class), Scala.none(), false);
  }

  /** So many bytes of a block of this process from an offset on; null if it has none. */
  public static byte[] local(String name, long offset, int length) {
    BlockId id = id(name);
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
    if (SparkEnv.get() == null) {
      return null;
    }
    Option<ChunkedByteBuffer> found = manager().getRemoteBytes(id(name));
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
    return new BroadcastBlockId(Long.MAX_VALUE, GROUP + "_" + name);
  }
}
