package io.groundswell.spark.store.checkpoint;

import io.groundswell.storage.ObjectStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager.CancellableFSDataOutputStream;

/** A file of an object store that appears when it is closed, unless there is one by then. */
final class NewObject extends CancellableFSDataOutputStream {
  private final ByteArrayOutputStream bytes;
  private final ObjectStore folder;
  private final String name;
  private boolean ended;

  private NewObject(ByteArrayOutputStream bytes, ObjectStore folder, String name) {
    super(bytes);
    this.bytes = bytes;
    this.folder = folder;
    this.name = name;
  }

  static NewObject create(ObjectStore folder, String name) {
    return new NewObject(new ByteArrayOutputStream(), folder, name);
  }

  @Override
  public synchronized void close() throws IOException {
    if (ended) {
      return;
    }
    ended = true;
    if (!folder.putNew(name, bytes.toByteArray())) {
      throw new FileAlreadyExistsException(folder.location() + "/" + name + " exists");
    }
  }

  @Override
  public synchronized void cancel() {
    ended = true;
  }
}
