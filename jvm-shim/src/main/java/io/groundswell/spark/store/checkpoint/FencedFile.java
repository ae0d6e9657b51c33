package io.groundswell.spark.store.checkpoint;

import io.groundswell.checkpoint.Ownership;
import java.io.IOException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager.CancellableFSDataOutputStream;

/** A log's file; that it is there already is because another run has the checkpoint, if one has. */
final class FencedFile extends CancellableFSDataOutputStream {
  private final CancellableFSDataOutputStream file;
  private final Ownership ownership;

  FencedFile(CancellableFSDataOutputStream file, Ownership ownership) {
    super(file);
    this.file = file;
    this.ownership = ownership;
  }

  @Override
  public void close() throws IOException {
    try {
      file.close();
    } catch (FileAlreadyExistsException e) {
      ownership.check();
      throw e;
    }
  }

  @Override
  public void cancel() {
    file.cancel();
  }
}
