package io.groundswell.spark.views.decode;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.TaskContext;
import org.apache.spark.io.HadoopCodecStreams;
import org.apache.spark.sql.execution.datasources.HadoopFileLinesReader;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.util.TaskCompletionListener;
import scala.Option;

/** The lines of a part of a file, one by one. For one thread. */
interface Lines {
  /** Hadoop's limit for the length of a line: longer ones are skipped. */
  String MAX_LENGTH = "mapreduce.input.linerecordreader.line.maxlength";

  /** Moves to the next line; false: there is none. */
  boolean next();

  /**
   * Holds the line; it is not written again, so texts may point into it for as long as they live.
   */
  byte[] bytes();

  /** Position of the line's first byte. */
  int start();

  /** Bytes of the line, without its end. */
  int length();

  /**
   * Lines of a part of a file, as Spark's readers of texts split it. They are closed with the task.
   *
   * @param separator bytes between lines; none: a line feed, a carriage return, or both
   */
  static Lines of(PartitionedFile file, Option<byte[]> separator, Configuration conf) {
    Path path = file.toPath();
    if (separator.isEmpty() && HadoopCodecStreams.getDecompressionCodec(conf, path).isEmpty()
        && conf.get(MAX_LENGTH) == null) {
      FileLines lines = FileLines.open(path, file.start(), file.length(), conf);
      closed(lines::close);
      return lines;
    }
    HadoopFileLinesReader lines = new HadoopFileLinesReader(file, separator, conf);
    closed(lines::close);
    return new HadoopLines(lines);
  }

  /** Something that is closed with the task. */
  interface Closing {
    void close() throws IOException;
  }

  private static void closed(Closing lines) {
    if (TaskContext.get() != null) {
      TaskContext.get().addTaskCompletionListener((TaskCompletionListener) task -> {
        try {
          lines.close();
        } catch (IOException e) {
          throw io.groundswell.spark.shims.Scala.unchecked(e);
        }
      });
    }
  }
}
