package io.groundswell.spark.store.checkpoint;

import io.groundswell.storage.NewFile;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager.CancellableFSDataOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file that is written beside its place and moved there when it is closed. */
final class AtomicFile extends CancellableFSDataOutputStream {
  private static final Logger LOG = LoggerFactory.getLogger(AtomicFile.class);

  private final OutputStream out;
  private final Path file;
  private final Path temporary;
  private final boolean overwrite;
  private boolean ended;

  AtomicFile(OutputStream out, Path file, Path temporary, boolean overwrite) {
    super(out);
    this.out = out;
    this.file = file;
    this.temporary = temporary;
    this.overwrite = overwrite;
  }

  static AtomicFile create(Path file, boolean overwrite) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    Files.createDirectories(folder);
    // The same pattern as Spark's own: what cleans up after Spark cleans up after this.
    Path temporary = folder.resolve("." + file.getFileName() + "." + UUID.randomUUID() + ".tmp");
    OutputStream out = new BufferedOutputStream(Files.newOutputStream(temporary));
    return new AtomicFile(out, file, temporary, overwrite);
  }

  @Override
  public synchronized void close() throws IOException {
    if (ended) {
      return;
    }
    ended = true;
    try {
      flushed();
      publish();
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  /** Ends the temporary file. That a disk is full is said without a file's name: here it is. */
  private void flushed() throws IOException {
    try {
      out.close();
    } catch (FileSystemException e) {
      throw e;
    } catch (IOException e) {
      throw new IOException("cannot write " + file + ": " + e.getMessage(), e);
    }
  }

  private void publish() throws IOException {
    if (overwrite) {
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    } else {
      publishNew();
    }
    // A checksum of a file that stood here before would make this one look corrupt to Hadoop.
    Files.deleteIfExists(ChecksumFiles.of(file));
  }

  private void publishNew() throws IOException {
    if (!NewFile.publish(temporary, file)) {
      throw new FileAlreadyExistsException(
          "Failed to rename temp file " + temporary + " to " + file + " because file exists");
    }
  }

  @Override
  public synchronized void cancel() {
    if (ended) {
      return;
    }
    ended = true;
    try {
      out.close();
    } catch (IOException e) {
      LOG.warn("could not close {}, deleting it", temporary, e);
    }
    try {
      Files.deleteIfExists(temporary);
    } catch (IOException e) {
      LOG.warn("could not delete {}", temporary, e);
    }
  }
}
