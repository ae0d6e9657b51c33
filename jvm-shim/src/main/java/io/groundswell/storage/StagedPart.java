package io.groundswell.storage;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The one file of a write of Spark's: it is written to a folder of its own where no reader looks,
 * and comes to its place as a whole when the write has succeeded.
 *
 * <p>Spark's own way to write moves a file twice within that folder, so that a task that died
 * leaves nothing. Where a file is seen only when it is whole (object stores), each attempt writes
 * beside the others instead, and any file that is seen will do: see {@link PartCommitter}.
 */
public final class StagedPart {
  /** Up to so many bytes are read and rewritten: to move a file is ten requests. */
  private static final int COPIED = 4 << 20;

  private final Configuration conf;
  private final FileSystem fs;
  private final Path folder;
  private final boolean seenWhenWhole;

  /** That folder need not be there yet. */
  public StagedPart(String folder, Configuration conf) throws IOException {
    this.conf = conf;
    this.folder = new Path(folder);
    this.fs = this.folder.getFileSystem(conf);
    this.seenWhenWhole = fs.hasPathCapability(this.folder, CommonPathCapabilities.ABORTABLE_STREAM)
        && conf.getClassByNameOrNull(PartCommitter.class.getName()) != null;
  }

  /** Whether Spark is to write with {@link PartCommitter}. */
  public boolean seenWhenWhole() {
    return seenWhenWhole;
  }

  /** Where the file is now. */
  public String file() throws IOException {
    return parts().get(0).getPath().toString();
  }

  /** Moves the file to {@code target}, and removes the folder. */
  public void publish(String target) throws IOException {
    List<FileStatus> parts = parts();
    if (parts.isEmpty() || (parts.size() > 1 && !seenWhenWhole)) {
      throw new IOException(folder + " has " + parts.size() + " parts, where Spark was to write "
          + "one: nothing was published in " + target);
    }
    FileStatus part = parts.get(0);
    if (seenWhenWhole && part.getLen() <= COPIED) {
      copy(part, new Path(target));
      for (FileStatus each : parts) {
        ObjectStores.open(each.getPath().getParent().toString(), conf)
            .delete(each.getPath().getName());
      }
    } else if (fs.rename(part.getPath(), new Path(target))) {
      discard();
    } else {
      throw new IOException(part.getPath() + " could not be moved to " + target);
    }
  }

  /** As {@link #publish}; a file that is there already stays as it is. */
  public void publishOnce(String target) throws IOException {
    if (fs.exists(new Path(target))) {
      discard();
    } else {
      publish(target);
    }
  }

  /**
   * As {@link #publish}, for whoever may come second: another process may have moved the file, now
   * or before a crash. A file that was moved is not looked for, since it may be gone by then.
   */
  public void publishIfThere(String target) throws IOException {
    fs.mkdirs(new Path(target).getParent());
    try {
      if (parts().isEmpty()) {
        discard();
      } else {
        publishOnce(target);
      }
    } catch (IOException e) {
      if (!parts().isEmpty()) {
        throw e;
      }
    }
  }

  private void discard() throws IOException {
    fs.delete(folder, true);
  }

  private void copy(FileStatus part, Path target) throws IOException {
    Path from = part.getPath();
    byte[] bytes = ObjectStores.open(from.getParent().toString(), conf)
                       .read(from.getName(), 0, (int) part.getLen());
    ObjectStores.open(target.getParent().toString(), conf).putNew(target.getName(), bytes);
  }

  private List<FileStatus> parts() throws IOException {
    return new FileTree(folder.toString(), conf)
        .all()
        .stream()
        .filter(file -> file.getPath().getName().startsWith("part-"))
        .sorted(Comparator.comparing(FileStatus::getPath))
        .toList();
  }
}
