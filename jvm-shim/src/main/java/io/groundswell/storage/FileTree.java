package io.groundswell.storage;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/** A folder of any file system with all folders below it, for what others have written there. */
public final class FileTree {
  private final FileSystem fs;
  private final Path root;

  /** It need not be there. */
  public FileTree(String uri, Configuration conf) throws IOException {
    this.root = new Path(uri);
    this.fs = root.getFileSystem(conf);
  }

  /**
   * URIs of its files.
   *
   * @param names regular expression of whole names
   * @param beforeMillis only those that were last changed before
   */
  public List<String> files(String names, long beforeMillis) throws IOException {
    Pattern pattern = Pattern.compile(names);
    List<String> found = new ArrayList<>();
    for (FileStatus file : all()) {
      if (file.getModificationTime() < beforeMillis
          && pattern.matcher(file.getPath().getName()).matches()) {
        found.add(file.getPath().toString());
      }
    }
    return found;
  }

  /** Names of the folders directly in it; none if it is not there. */
  public List<String> folders() throws IOException {
    try {
      return Arrays.stream(fs.listStatus(root))
          .filter(FileStatus::isDirectory)
          .map(child -> child.getPath().getName())
          .toList();
    } catch (FileNotFoundException none) {
      return List.of();
    }
  }

  /** When it or a file in it was last changed, in milliseconds since 1970; 0 if it is not there. */
  public long lastChange() throws IOException {
    long last = 0;
    try {
      last = fs.getFileStatus(root).getModificationTime();
    } catch (FileNotFoundException none) {
      return 0;
    }
    for (FileStatus file : all()) {
      last = Math.max(last, file.getModificationTime());
    }
    return last;
  }

  List<FileStatus> all() throws IOException {
    List<FileStatus> found = new ArrayList<>();
    if (fs.getUri().getScheme().equals("file")) {
      collect(root, found);
      return found;
    }
    try {
      RemoteIterator<LocatedFileStatus> files = fs.listFiles(root, true);
      while (files.hasNext()) {
        found.add(files.next());
      }
    } catch (FileNotFoundException gone) {
      // It is not there, or what was in it is going just now: the next look finds the rest.
    }
    return found;
  }

  /**
   * As {@code listFiles} does for a local file system, which also asks {@code ls} for the rights of
   * each file, and fails otherwise than by {@link FileNotFoundException} if one has just gone.
   */
  private void collect(Path folder, List<FileStatus> found) throws IOException {
    FileStatus[] children;
    try {
      children = fs.listStatus(folder);
    } catch (FileNotFoundException gone) {
      return;
    }
    for (FileStatus child : children) {
      if (child.isDirectory()) {
        collect(child.getPath(), found);
      } else {
        found.add(child);
      }
    }
  }

  /** Removes files; one that is gone is no error. */
  public void delete(List<String> uris) throws IOException {
    for (String uri : uris) {
      fs.delete(new Path(uri), false);
    }
  }

  /** Removes those folders, this one included, in which there is nothing. */
  public void prune() throws IOException {
    prune(root);
  }

  private boolean prune(Path folder) throws IOException {
    FileStatus[] children;
    try {
      children = fs.listStatus(folder);
    } catch (FileNotFoundException gone) {
      return true;
    }
    boolean empty = true;
    for (FileStatus child : children) {
      empty &= child.isDirectory() && prune(child.getPath());
    }
    try {
      return empty && fs.delete(folder, false);
    } catch (IOException notEmpty) { // somebody has put something there since
      return false;
    }
  }
}
