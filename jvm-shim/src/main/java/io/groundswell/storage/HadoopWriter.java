package io.groundswell.storage;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UnsupportedFileSystemException;

/** An object being written to a Hadoop file system. */
final class HadoopWriter extends PublishedWriter {
  private final FileSystem fs;
  private final Retry retry;
  private final Path written;
  private final Path target;
  private final FSDataOutputStream out;
  private final Runnable published;

  HadoopWriter(FileSystem fs, Retry retry, Path written, Path target, FSDataOutputStream out,
      Runnable published) {
    super(target.toString(), out);
    this.fs = fs;
    this.retry = retry;
    this.written = written;
    this.target = target;
    this.out = out;
    this.published = published;
  }

  @Override
  void publish() throws IOException {
    out.close();
    if (!written.equals(target)) {
      retry.call("rename " + written + " to " + target, this::rename);
    }
    published.run();
  }

  /** Also right when an earlier attempt was done but its answer was lost. */
  private Void rename() throws IOException {
    try {
      if (fs.rename(written, target)) {
        return null;
      }
    } catch (FileNotFoundException e) {
      if (!fs.exists(target)) {
        throw e;
      }
      return null;
    }
    if (!fs.exists(written)) {
      if (fs.exists(target)) {
        return null;
      }
      throw new FileNotFoundException(written + " is gone before its rename to " + target);
    }
    replace();
    return null;
  }

  private void replace() throws IOException {
    try {
      FileContext.getFileContext(written.toUri(), fs.getConf())
          .rename(written, target, Options.Rename.OVERWRITE);
    } catch (UnsupportedFileSystemException e) {
      fs.delete(target, false);
      if (!fs.rename(written, target)) {
        throw new IOException("the file system refuses to rename " + written + " to " + target, e);
      }
    }
  }

  @Override
  void discard() throws IOException {
    if (written.equals(target)) {
      out.abort();
      return;
    }
    try {
      out.close();
    } finally {
      fs.delete(written, false);
    }
  }
}
