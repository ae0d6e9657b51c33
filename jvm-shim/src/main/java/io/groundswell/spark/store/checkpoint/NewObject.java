package io.groundswell.spark.store.checkpoint;

import io.groundswell.storage.ObjectStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager.CancellableFSDataOutputStream;

/**
 * A file of an object store that appears when it is closed, unless there is one by then. What has
 * appeared is one of the recent files.
 */
final class NewObject extends CancellableFSDataOutputStream {
  private final ByteArrayOutputStream bytes;
  private final ObjectStore folder;
  private final String name;
  private final RecentFiles recent;
  private boolean ended;

  private NewObject(
      ByteArrayOutputStream bytes, ObjectStore folder, String name, RecentFiles recent) {
    super(bytes);
    this.bytes = bytes;
    this.folder = folder;
    this.name = name;
    this.recent = recent;
  }

  static NewObject create(ObjectStore folder, String name, RecentFiles recent) {
    return new NewObject(new ByteArrayOutputStream(), folder, name, recent);
  }

  @Override
  public synchronized void close() throws IOException {
    if (ended) {
      return;
    }
    ended = true;
    byte[] content = bytes.toByteArray();
    if (!folder.putNew(name, content)) {
      throw new FileAlreadyExistsException(folder.location() + "/" + name + " exists");
    }
    recent.add(name, content);
  }

  @Override
  public synchronized void cancel() {
    ended = true;
  }
}
