package io.groundswell.spark.views.entry;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.views.capture.stream.StreamLimits;
import io.groundswell.spark.views.capture.stream.StreamLimits.Kind;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** How much the streams of a source have to be read at first. */
public final class Backlogs {
  private Backlogs() {}

  /** The kinds of a source's streams that a limit of ours acts on. */
  public static List<String> kinds(Dataset<Row> streaming) {
    return StreamLimits.leaves(Catalyst.analyzed(streaming))
        .stream()
        .map(leaf -> StreamLimits.kind(leaf).name())
        .toList();
  }

  /**
   * Bytes of all files that a source's streams would read now; 0 if it reads none, or if the user
   * has limited it. The figure is an estimate: it does not look at the reader's filters.
   */
  public static long fileBytes(Dataset<Row> streaming) throws IOException {
    Configuration conf = Catalyst.session(streaming).sessionState().newHadoopConf();
    long bytes = 0;
    for (LogicalPlan leaf : limited(streaming, Kind.FILES).toList()) {
      Path path = new Path(StreamLimits.options(leaf).getOrDefault("path", ""));
      FileSystem fs = path.getFileSystem(conf);
      FileStatus[] found = fs.globStatus(path);
      for (FileStatus each : found == null ? new FileStatus[0] : found) {
        bytes += bytes(fs, each);
      }
    }
    return bytes;
  }

  /** The readers' options of a source's streams of Kafka that the user has not limited. */
  public static List<Map<String, String>> kafka(Dataset<Row> streaming) {
    return limited(streaming, Kind.KAFKA)
        .map(leaf -> StreamLimits.options(leaf).asCaseSensitiveMap())
        .toList();
  }

  private static Stream<LogicalPlan> limited(Dataset<Row> streaming, Kind kind) {
    return StreamLimits.leaves(Catalyst.analyzed(streaming))
        .stream()
        .filter(leaf -> StreamLimits.kind(leaf) == kind);
  }

  private static long bytes(FileSystem fs, FileStatus file) throws IOException {
    if (!file.isDirectory()) {
      return file.getLen();
    }
    long bytes = 0;
    try {
      for (FileStatus each : fs.listStatus(file.getPath())) {
        String name = each.getPath().getName();
        boolean hidden = name.startsWith(".") || (name.startsWith("_") && !name.contains("="));
        bytes += hidden ? 0 : bytes(fs, each);
      }
    } catch (FileNotFoundException e) {
      return bytes; // it went meanwhile
    }
    return bytes;
  }
}
