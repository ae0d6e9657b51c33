package io.groundswell.spark.shims;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.FileSourceOptions;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.sql.execution.datasources.FileScanRDD;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.TextBasedFileFormat;

/**
 * Small text files, read by all cores. Spark cuts no file below 4 MB ({@code
 * spark.sql.files.openCostInBytes}), so a barrier of one small file would be parsed by one core.
 */
public final class SmallFiles {
  /** Bytes below which another task costs more than it saves. */
  static final long LEAST = 64 << 10;

  private SmallFiles() {}

  /** What {@code found} reads, in as many tasks as there are cores, where that pays. */
  public static FileScanRDD spread(FileScanRDD found, FileSourceScanExec scan) {
    HadoopFsRelation relation = scan.relation();
    SparkSession session = scan.session();
    int cores = session.sparkContext().defaultParallelism();
    List<FilePartition> given = Scala.list(found.filePartitions());
    if (given.size() >= cores || !(relation.fileFormat() instanceof TextBasedFileFormat)) {
      return found;
    }
    List<PartitionedFile> files = new ArrayList<>();
    given.forEach(partition -> files.addAll(List.of(partition.files())));
    List<Piece> whole = new ArrayList<>();
    for (PartitionedFile file : files) {
      Path path = file.toPath();
      boolean cuttable = relation.fileFormat().isSplitable(session, relation.options(), path);
      whole.add(new Piece(whole.size(), 0, file.length(), cuttable));
    }
    List<List<Piece>> dealt = deal(whole, cores);
    if (dealt.size() <= given.size()) {
      return found;
    }
    List<FilePartition> partitions = new ArrayList<>();
    for (List<Piece> pieces : dealt) {
      partitions.add(new FilePartition(partitions.size(),
          pieces.stream().map(p -> cut(files.get(p.file), p)).toArray(PartitionedFile[] ::new)));
    }
    try {
      return new FileScanRDD(session,
          found.org$apache$spark$sql$execution$datasources$FileScanRDD$$readFunction,
          Scala.seq(partitions), found.readSchema(), found.metadataColumns(),
          relation.fileFormat().fileConstantMetadataExtractors(),
          new FileSourceOptions(relation.options()));
    } catch (LinkageError e) { // another Spark makes it in another way
      return found;
    }
  }

  /** Bytes {@code start} to {@code start + length} of a file, counted from where its own begin. */
  record Piece(int file, long start, long length, boolean cuttable) {}

  /**
   * Deals files out to at most {@code most} tasks, in order, cutting those that may be cut.
   *
   * @return nothing shorter than {@link #LEAST} is cut off, so there may be fewer tasks
   */
  static List<List<Piece>> deal(List<Piece> files, int most) {
    long total = files.stream().mapToLong(Piece::length).sum();
    long share = Math.max(LEAST, (total + most - 1) / most);
    List<List<Piece>> tasks = new ArrayList<>();
    List<Piece> task = new ArrayList<>();
    long room = share;
    for (Piece file : files) {
      long start = file.start;
      long left = file.length;
      while (left > 0 || file.length == 0) {
        boolean last = tasks.size() == most - 1;
        long taken = file.cuttable && !last && left - room >= LEAST ? room : left;
        task.add(new Piece(file.file, start, taken, file.cuttable));
        start += taken;
        left -= taken;
        room -= taken;
        if (room < LEAST && !last) {
          tasks.add(task);
          task = new ArrayList<>();
          room = share;
        }
        if (left == 0) {
          break;
        }
      }
    }
    if (!task.isEmpty()) {
      tasks.add(task);
    }
    return tasks;
  }

  private static PartitionedFile cut(PartitionedFile file, Piece piece) {
    return piece.start == 0 && piece.length == file.length()
        ? file
        : new PartitionedFile(file.partitionValues(), file.filePath(), file.start() + piece.start,
              piece.length, file.locations(), file.modificationTime(), file.fileSize(),
              file.otherConstantMetadataColumnValues());
  }
}
