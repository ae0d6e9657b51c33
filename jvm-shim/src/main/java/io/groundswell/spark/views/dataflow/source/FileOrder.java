package io.groundswell.spark.views.dataflow.source;

import io.groundswell.spark.shims.Scala;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.rdd.InputFileBlockHolder;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.execution.CollectMetricsExec;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.FilterExec;
import org.apache.spark.sql.execution.GenerateExec;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.FileScanRDD;
import org.apache.spark.sql.execution.datasources.PartitionedFile;

/**
 * The order in which a batch's files arrived: by modification time, or the time of the commit that
 * has brought them, then path. Spark packs files
 * into splits by size, so the order of splits says nothing, and which of two upserts of a key came
 * last would be decided by the files' sizes.
 */
final class FileOrder implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final Pattern COMMITTED =
      Pattern.compile("(\\d{20})-t[0-9a-f]{12}-\\d{5}\\.parquet");

  private record Piece(String path, long start) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  private final HashMap<Piece, Integer> ranks;

  private FileOrder(HashMap<Piece, Integer> ranks) {
    this.ranks = ranks;
  }

  /** The order of these files; null if a piece is read twice. */
  static FileOrder of(List<PartitionedFile> read) {
    List<PartitionedFile> files = new ArrayList<>(read);
    files.sort(Comparator.comparingLong(FileOrder::arrived)
            .thenComparing(PartitionedFile::urlEncodedPath)
            .thenComparingLong(PartitionedFile::start));
    HashMap<Piece, Integer> ranks = new HashMap<>();
    for (PartitionedFile file : files) {
      ranks.put(new Piece(file.urlEncodedPath(), file.start()), ranks.size());
    }
    return ranks.size() == files.size() ? new FileOrder(ranks) : null;
  }

  /** In milliseconds. A file of a transaction counts from the commit on, which its name tells. */
  private static long arrived(PartitionedFile file) {
    String path = file.urlEncodedPath();
    Matcher committed = COMMITTED.matcher(path.substring(path.lastIndexOf('/') + 1));
    return committed.matches() ? Long.parseLong(committed.group(1)) / 1_000_000
                               : file.modificationTime();
  }

  /**
   * Adds the files that these branches of one source read, as far as they can be told.
   *
   * @param scans how some of their scans are run, otherwise than they would by themselves
   * @return false if something else than files is read, or if a node between reads ahead of what it
   *     gives
   */
  static boolean collect(
      List<SparkPlan> branches, Map<SparkPlan, FileScanRDD> scans, List<PartitionedFile> files) {
    boolean all = true;
    for (SparkPlan branch : branches) {
      all &= collect(branch, scans, files);
    }
    return all;
  }

  private static boolean collect(
      SparkPlan plan, Map<SparkPlan, FileScanRDD> scans, List<PartitionedFile> files) {
    if (plan instanceof FileSourceScanExec scan) {
      List<? extends RDD<?>> read =
          scans.containsKey(scan) ? List.of(scans.get(scan)) : Scala.list(scan.inputRDDs());
      for (RDD<?> rdd : read) {
        if (!(rdd instanceof FileScanRDD scanned)) {
          return false;
        }
        Scala.list(scanned.filePartitions()).forEach(part -> files.addAll(List.of(part.files())));
      }
      return true;
    }
    boolean rowByRow = plan instanceof ProjectExec || plan instanceof FilterExec
        || plan instanceof ColumnarToRowExec || plan instanceof GenerateExec
        || plan instanceof CollectMetricsExec;
    return rowByRow && collect(plan.children().head(), scans, files);
  }

  /** The place of the piece that this thread is reading. */
  int current() {
    Piece piece = new Piece(
        InputFileBlockHolder.getInputFilePath().toString(), InputFileBlockHolder.getStartOffset());
    Integer rank = ranks.get(piece);
    if (rank == null) {
      throw new IllegalStateException(piece + " is none of the " + ranks.size()
          + " files of this batch, so its rows cannot be put in order");
    }
    return rank;
  }
}
