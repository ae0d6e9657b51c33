package io.groundswell.storage;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** Local files under {@code flaky:}; fails as often as told, before or after it did its work. */
public final class FlakyFileSystem extends FilterFileSystem {
  static final AtomicInteger OPENS_TO_FAIL = new AtomicInteger();
  static final AtomicInteger RENAMES_TO_LOSE = new AtomicInteger();
  static final AtomicInteger OPENS = new AtomicInteger();

  public FlakyFileSystem() {
    super(new RawLocalFileSystem());
  }

  static Configuration conf() {
    Configuration conf = new Configuration(false);
    conf.set("fs.flaky.impl", FlakyFileSystem.class.getName());
    conf.setBoolean("fs.flaky.impl.disable.cache", true);
    conf.setLong(HadoopObjectStore.PAUSE, 1);
    return conf;
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(URI.create("file:///"), conf);
  }

  @Override
  public URI getUri() {
    return URI.create("flaky:///");
  }

  @Override
  protected void checkPath(Path path) {}

  private static Path local(Path path) {
    return new Path("file", null, path.toUri().getPath());
  }

  @Override
  public boolean hasPathCapability(Path path, String capability) {
    return false;
  }

  @Override
  public Path makeQualified(Path path) {
    return path;
  }

  @Override
  public org.apache.hadoop.fs.FileStatus getFileStatus(Path path) throws IOException {
    return super.getFileStatus(local(path));
  }

  @Override
  public org.apache.hadoop.fs.FileStatus[] listStatus(Path path) throws IOException {
    return super.listStatus(local(path));
  }

  @Override
  public org.apache.hadoop.fs.FSDataOutputStream create(Path path,
      org.apache.hadoop.fs.permission.FsPermission permission, boolean overwrite, int bufferSize,
      short replication, long blockSize, org.apache.hadoop.util.Progressable progress)
      throws IOException {
    return super.create(
        local(path), permission, overwrite, bufferSize, replication, blockSize, progress);
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    return super.delete(local(path), recursive);
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    OPENS.incrementAndGet();
    if (OPENS_TO_FAIL.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
      throw new IOException("connection reset");
    }
    return super.open(local(path), bufferSize);
  }

  /** What is lost is the answer: the file is renamed. */
  @Override
  public boolean rename(Path from, Path to) throws IOException {
    boolean renamed = super.rename(local(from), local(to));
    if (RENAMES_TO_LOSE.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
      throw new IOException("connection reset");
    }
    return renamed;
  }
}
