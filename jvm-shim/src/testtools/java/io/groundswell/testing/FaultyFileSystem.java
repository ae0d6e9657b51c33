package io.groundswell.testing;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * Local files behind a {@link FaultInjector}, for whatever speaks to Hadoop file systems; with
 * {@code spark.hadoop.fs.slow.impl} set to this class, for all of Spark at {@code slow:/path}.
 *
 * <p>Confs, for any scheme it is given: {@code fs.<scheme>.latency} (as {@link Latency#parse};
 * {@code slow} is {@link Latency#REMOTE} unless told otherwise), {@code fs.<scheme>.faults} (as
 * {@link FaultPlan#parse}), {@code fs.<scheme>.renames}: false, as at first, for an object store,
 * whose files appear when their stream is closed; true for a file system where they grow visibly.
 * All file systems of one scheme in a JVM share one injector.
 */
public final class FaultyFileSystem extends FileSystem {
  private static final Map<String, FaultInjector> INJECTORS = new ConcurrentHashMap<>();

  private String scheme;
  private FaultInjector injector;
  private boolean renames;
  private Path workingFolder;

  /** The injector of a scheme. */
  public static FaultInjector injector(String scheme) {
    return INJECTORS.computeIfAbsent(scheme, any -> new FaultInjector());
  }

  /** What was asked of a scheme's files in this JVM; see {@link FaultInjector#counters}. */
  public static Map<String, Long> counters(String scheme) {
    return injector(scheme).counters();
  }

  /** Hadoop's confs with this file system at a scheme, not cached between calls. */
  public static Configuration conf(String scheme) {
    Configuration conf = new Configuration(false);
    conf.set("fs." + scheme + ".impl", FaultyFileSystem.class.getName());
    conf.setBoolean("fs." + scheme + ".impl.disable.cache", true);
    return conf;
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    scheme = name.getScheme();
    workingFolder = new Path(scheme + ":///");
    injector = injector(scheme);
    renames = conf.getBoolean("fs." + scheme + ".renames", false);
    String latency =
        conf.get("fs." + scheme + ".latency", scheme.equals("slow") ? Latency.REMOTE : null);
    if (latency != null) {
      injector.latency(Latency.parse(latency));
    }
    String faults = conf.get("fs." + scheme + ".faults");
    if (faults != null) {
      injector.plan(FaultPlan.parse(faults));
    }
  }

  @Override
  public String getScheme() {
    return scheme;
  }

  @Override
  public URI getUri() {
    return URI.create(scheme + ":///");
  }

  @Override
  public boolean hasPathCapability(Path path, String capability) throws IOException {
    return capability.equals(CommonPathCapabilities.ABORTABLE_STREAM)
        ? !renames
        : super.hasPathCapability(path, capability);
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    Fault fault = injector.begin(Op.HEAD, path.getName());
    if (!Files.isRegularFile(local(path))) {
      throw new FileNotFoundException(path + " does not exist");
    }
    injector.end(fault, Op.HEAD, path.getName());
    return new FSDataInputStream(new FaultyInput(local(path).toFile(), injector));
  }

  @Override
  public FSDataOutputStream create(Path path, FsPermission permission, boolean overwrite,
      int bufferSize, short replication, long blockSize, Progressable progress) throws IOException {
    Fault fault = injector.begin(Op.CREATE, path.getName());
    if (!overwrite && Files.exists(local(path))) {
      throw new org.apache.hadoop.fs.FileAlreadyExistsException(path + " exists");
    }
    Files.createDirectories(local(path).getParent());
    FaultyOutput out = new FaultyOutput(local(path), injector);
    if (renames) {
      Files.write(local(path), new byte[0]);
    }
    injector.end(fault, Op.CREATE, path.getName());
    return new FSDataOutputStream(out, null);
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
    throw new UnsupportedOperationException("append to " + path);
  }

  /** As HDFS does: false if the target is there. */
  @Override
  public boolean rename(Path from, Path to) throws IOException {
    Fault fault = injector.begin(Op.RENAME, from.getName());
    java.nio.file.Path target = local(to);
    if (Files.isDirectory(target)) {
      target = target.resolve(from.getName());
    }
    if (!Files.exists(local(from))) {
      return false;
    }
    if (Files.exists(target)) {
      return false;
    }
    Files.move(local(from), target, StandardCopyOption.ATOMIC_MOVE);
    injector.end(fault, Op.RENAME, from.getName());
    return true;
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    Fault fault = injector.begin(Op.DELETE, path.getName());
    boolean deleted = recursive ? deleteTree(local(path)) : Files.deleteIfExists(local(path));
    injector.end(fault, Op.DELETE, path.getName());
    return deleted;
  }

  private static boolean deleteTree(java.nio.file.Path root) throws IOException {
    if (!Files.exists(root)) {
      return false;
    }
    try (Stream<java.nio.file.Path> files = Files.walk(root)) {
      for (java.nio.file.Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
    return true;
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    Fault fault = injector.begin(Op.LIST, path.getName());
    java.nio.file.Path file = local(path);
    List<FileStatus> found = new ArrayList<>();
    if (Files.isDirectory(file)) {
      try (Stream<java.nio.file.Path> children = Files.list(file)) {
        for (java.nio.file.Path child : children.sorted().toList()) {
          FileStatus status = FaultyOutput.isDraft(child)
              ? null
              : statusOf(child, new Path(path, child.getFileName().toString()));
          if (status != null) {
            found.add(status);
          }
        }
      }
    } else {
      found.add(existing(file, path));
    }
    injector.end(fault, Op.LIST, path.getName());
    return found.toArray(FileStatus[] ::new);
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    Fault fault = injector.begin(Op.HEAD, path.getName());
    FileStatus status = existing(local(path), path);
    injector.end(fault, Op.HEAD, path.getName());
    return status;
  }

  private FileStatus existing(java.nio.file.Path file, Path path) throws IOException {
    FileStatus status = statusOf(file, path);
    if (status == null) {
      throw new FileNotFoundException(path + " does not exist");
    }
    return status;
  }

  /** Null if the file is not there. */
  private FileStatus statusOf(java.nio.file.Path file, Path path) throws IOException {
    try {
      BasicFileAttributes facts = Files.readAttributes(file, BasicFileAttributes.class);
      return new FileStatus(facts.isDirectory() ? 0 : facts.size(), facts.isDirectory(), 1,
          128L << 20, facts.lastModifiedTime().toMillis(), makeQualified(path));
    } catch (java.nio.file.NoSuchFileException gone) {
      return null;
    }
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    try {
      Files.createDirectories(local(path));
      return true;
    } catch (FileAlreadyExistsException e) {
      throw new org.apache.hadoop.fs.FileAlreadyExistsException(path + " is a file");
    }
  }

  @Override
  public void setWorkingDirectory(Path path) {
    workingFolder = path;
  }

  @Override
  public Path getWorkingDirectory() {
    return workingFolder;
  }

  private java.nio.file.Path local(Path path) {
    return Paths.get(makeQualified(path).toUri().getPath());
  }
}
