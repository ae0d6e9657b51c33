package io.groundswell.spark.store.checkpoint;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager;

/** Checkpoint files on the local disk, by java.nio. */
final class LocalCheckpointFileManager implements CheckpointFileManager {
  private static final URI LOCAL = URI.create("file:///");
  /** What Hadoop reports for local files. */
  private static final long BLOCK_SIZE = 32L << 20;

  private final Path root;
  /** Reading by Hadoop's raw local file system starts no process and survives interrupts. */
  private final RawLocalFileSystem reader = new RawLocalFileSystem();

  LocalCheckpointFileManager(Path root) {
    this.root = root;
    try {
      reader.initialize(LOCAL, new Configuration(false));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static java.nio.file.Path local(Path path) {
    return java.nio.file.Path.of(path.toUri().getPath());
  }

  private Path qualified(Path path) {
    return path.makeQualified(LOCAL, reader.getWorkingDirectory());
  }

  @Override
  public CancellableFSDataOutputStream createAtomic(Path path, boolean overwriteIfPossible) {
    return unchecked(() -> AtomicFile.create(local(qualified(path)), overwriteIfPossible));
  }

  @Override
  public FSDataInputStream open(Path path) {
    return unchecked(() -> reader.open(qualified(path)));
  }

  @Override
  public FileStatus[] list(Path path, PathFilter filter) {
    return unchecked(() -> listing(qualified(path), filter));
  }

  private static FileStatus[] listing(Path path, PathFilter filter) throws IOException {
    java.nio.file.Path folder = local(path);
    List<FileStatus> found = new ArrayList<>();
    if (Files.isRegularFile(folder)) {
      add(found, path, folder, filter);
      return found.toArray(FileStatus[] ::new);
    }
    String parent = path.toUri() + "/";
    try (var children = Files.newDirectoryStream(folder)) {
      for (java.nio.file.Path child : children) {
        if (!ChecksumFiles.is(child)) {
          add(found, child(parent, path, child.getFileName().toString()), child, filter);
        }
      }
    } catch (NoSuchFileException e) {
      throw notFound(path, e);
    }
    return found.toArray(FileStatus[] ::new);
  }

  /**
   * Hadoop looks at a name with regular expressions, and Spark lists the log of a file source in
   * every micro-batch: all files of the last ten minutes. Names of logs need no such look.
   */
  private static Path child(String parent, Path path, String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (!(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '.' && i > 0)) {
        return new Path(path, name);
      }
    }
    return new Path(URI.create(parent + name));
  }

  private static void add(List<FileStatus> to, Path path, java.nio.file.Path file,
      PathFilter filter) throws IOException {
    if (!filter.accept(path)) {
      return;
    }
    try {
      BasicFileAttributes about = Files.readAttributes(file, BasicFileAttributes.class);
      boolean folder = about.isDirectory();
      long length = folder ? 0 : about.size();
      long modified = about.lastModifiedTime().toMillis();
      to.add(new FileStatus(length, folder, 1, BLOCK_SIZE, modified, path));
    } catch (NoSuchFileException e) {
      // Somebody deleted or renamed it since the folder was read.
    }
  }

  private static FileNotFoundException notFound(Path path, NoSuchFileException cause) {
    FileNotFoundException error = new FileNotFoundException("File " + path + " does not exist");
    error.initCause(cause);
    return error;
  }

  @Override
  public void mkdirs(Path path) {
    unchecked(() -> {
      try {
        return Files.createDirectories(local(qualified(path)));
      } catch (java.nio.file.FileAlreadyExistsException e) {
        throw new FileAlreadyExistsException(path + " exists and is not a folder");
      }
    });
  }

  @Override
  public boolean exists(Path path) {
    return Files.exists(local(qualified(path)));
  }

  @Override
  public void delete(Path path) {
    unchecked(() -> {
      java.nio.file.Path file = local(qualified(path));
      try {
        Files.walkFileTree(file, new Remover());
      } catch (NoSuchFileException e) {
        // It is gone, as wanted.
      }
      Files.deleteIfExists(ChecksumFiles.of(file));
      return null;
    });
  }

  private static final class Remover extends SimpleFileVisitor<java.nio.file.Path> {
    @Override
    public FileVisitResult visitFile(java.nio.file.Path file, BasicFileAttributes about)
        throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(java.nio.file.Path folder, IOException error)
        throws IOException {
      if (error != null) {
        throw error;
      }
      Files.deleteIfExists(folder);
      return FileVisitResult.CONTINUE;
    }
  }

  @Override
  public boolean isLocal() {
    return true;
  }

  @Override
  public Path createCheckpointDirectory() {
    mkdirs(root);
    return qualified(root);
  }

  private interface Io<T> {
    T run() throws IOException;
  }

  /**
   * Spark's interface declares no checked exception, and Spark catches IOException none the less.
   */
  private static <T> T unchecked(Io<T> io) {
    try {
      return io.run();
    } catch (IOException e) {
      throw sneaky(e);
    }
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> RuntimeException sneaky(Throwable error) throws E {
    throw (E) error;
  }
}
