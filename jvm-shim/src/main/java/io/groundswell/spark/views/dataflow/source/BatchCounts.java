package io.groundswell.spark.views.dataflow.source;

import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.contract.barrier.BatchSize;
import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.LocalTableScanExec;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;

/**
 * How large a micro-batch is, by the plan alone: nothing is read but the ends of a few files.
 * Conditions and joins of a source's stream are not looked at.
 */
public final class BatchCounts {
  /** Of so many files the ends are read; of more their bytes are told. */
  private static final int MOST_FILES = 16;

  private final Configuration conf;
  private final Map<Integer, BatchSize> sizes = new HashMap<>();

  private BatchCounts(Configuration conf) {
    this.conf = conf;
  }

  /** Tag of a source → how much of it is in the batch; of a source without news there is none. */
  public static Map<Integer, BatchSize> of(Dataset<Row> batch, Configuration conf) {
    BatchCounts counts = new BatchCounts(conf);
    int width = batch.schema().size();
    counts.visit(SourceSplitter.plan(batch), width);
    return counts.sizes;
  }

  private void visit(SparkPlan plan, int width) {
    if (plan instanceof ProjectExec project && SourceSplitter.tag(project) != null) {
      BatchSize size = size(Scala.list(plan.collectLeaves()));
      for (int tag : SourceSplitter.filled(project, width)) {
        sizes.merge(tag, size, BatchCounts::sum);
      }
    } else if (plan instanceof LocalTableScanExec local) {
      Scala.list(local.rows())
          .forEach(row -> sizes.merge(row.getInt(0), new BatchSize(1, 0, true), BatchCounts::sum));
    } else {
      Scala.list(plan.children()).forEach(child -> visit(child, width));
    }
  }

  private static BatchSize sum(BatchSize a, BatchSize b) {
    return new BatchSize(a.rows() + b.rows(), a.bytes() + b.bytes(), a.known() && b.known());
  }

  private BatchSize size(List<SparkPlan> leaves) {
    BatchSize sum = new BatchSize(0, 0, true);
    for (SparkPlan leaf : leaves) {
      sum = sum(sum, size(leaf));
    }
    return sum;
  }

  private BatchSize size(SparkPlan leaf) {
    if (leaf instanceof LocalTableScanExec local) {
      return new BatchSize(local.rows().size(), 0, true);
    }
    if (!(leaf instanceof FileSourceScanExec scan)) {
      return new BatchSize(0, 0, false);
    }
    FileIndex files = scan.relation().location();
    String[] paths = files.inputFiles();
    if (scan.relation().fileFormat() instanceof ParquetFileFormat && paths.length <= MOST_FILES) {
      try {
        return new BatchSize(rows(paths), 0, true);
      } catch (IOException e) { // reading them will say what is wrong
        return new BatchSize(0, files.sizeInBytes(), true);
      }
    }
    return new BatchSize(0, files.sizeInBytes(), true);
  }

  private long rows(String[] paths) throws IOException {
    long rows = 0;
    for (String path : paths) {
      Path file = new Path(URI.create(path));
      try (
          ParquetFileReader reader = ParquetFileReader.open(HadoopInputFile.fromPath(file, conf))) {
        rows += reader.getRecordCount();
      }
    }
    return rows;
  }
}
