package io.groundswell.spark.views.dataflow.state;

import com.google.common.hash.Hashing;
import io.groundswell.spark.shims.SharedBlocks;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.ForwardingObjectStore;
import io.groundswell.storage.ObjectStore;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The folder of a store whose newest commits may be ahead of storage: made between two checkpoints,
 * they are in the memory of the process that made them, for all of the application to read, until a
 * checkpoint writes them here. What merges write, and a commit that is large, is durable at once.
 */
public final class PendingFolder extends ForwardingObjectStore {
  /** Until a commit of this process was held here, nobody looks for one. */
  private static volatile boolean used;

  PendingFolder(ObjectStore store) {
    super(store);
  }

  /** A commit stays in memory. */
  @Override
  public ObjectWriter createPending(String name) throws IOException {
    return isCommit(name) ? new BufferedWriter(store, name, this::hold) : store.create(name);
  }

  @Override
  public long length(String name) throws IOException {
    if (!isCommit(name)) {
      return store.length(name);
    }
    long local = localLength(name);
    if (local >= 0) {
      return local;
    }
    try {
      return store.length(name);
    } catch (FileNotFoundException e) {
      return fetched(name, e).length;
    }
  }

  @Override
  public byte[] read(String name, long offset, int length) throws IOException {
    if (!isCommit(name)) {
      return store.read(name, offset, length);
    }
    long local = localLength(name);
    if (local >= 0) {
      checkRange(name, offset, length, local);
      byte[] bytes = SharedBlocks.local(block(name), offset, length);
      if (bytes != null) {
        return bytes;
      }
    }
    try {
      return store.read(name, offset, length);
    } catch (FileNotFoundException e) {
      byte[] bytes = fetched(name, e);
      checkRange(name, offset, length, bytes.length);
      return Arrays.copyOfRange(bytes, (int) offset, (int) offset + length);
    }
  }

  private void checkRange(String name, long offset, int length, long known) throws EOFException {
    if (offset < 0 || length < 0 || offset > known - length) {
      throw new EOFException(location() + "/" + name + " has " + known + " bytes; " + length
          + " from " + offset + " on were asked for");
    }
  }

  /**
   * Writes a commit that is ahead; does nothing if storage has it.
   *
   * @throws FileNotFoundException if the process that held it is gone
   */
  void persist(String name) throws IOException {
    long local = localLength(name);
    byte[] bytes = local < 0 ? SharedBlocks.remote(block(name))
                             : SharedBlocks.local(block(name), 0, (int) local);
    if (bytes == null) {
      store.length(name);
    } else {
      store.put(name, bytes);
    }
  }

  /** Lets all processes drop a commit; for the driver. */
  void release(String name) {
    SharedBlocks.remove(block(name));
  }

  /** From another process, and kept here from now on: the next barrier reads it again. */
  private byte[] fetched(String name, FileNotFoundException missing) throws IOException {
    byte[] bytes = SharedBlocks.remote(block(name));
    if (bytes == null) {
      throw missing;
    }
    hold(name, bytes);
    return bytes;
  }

  private void hold(String name, byte[] bytes) throws IOException {
    if (!SharedBlocks.put(block(name), bytes)) {
      throw new IOException(location() + "/" + name + ": this process could not keep "
          + bytes.length + " bytes, in memory or on its local disk");
    }
    used = true;
  }

  private long localLength(String name) {
    return used ? SharedBlocks.localLength(block(name)) : -1;
  }

  private static boolean isCommit(String name) {
    return name.endsWith(FileNames.COMMIT_SUFFIX);
  }

  /** What processes know a commit by. */
  String block(String name) {
    return Hashing.sha256().hashString(location() + "/" + name, StandardCharsets.UTF_8).toString();
  }
}
