package io.groundswell.storage;

import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;

/**
 * Each attempt of a task writes to a folder of its own, and nothing is moved: for file systems on
 * which a file is seen only when it is whole, and for writes of which any whole file will do.
 */
public final class PartCommitter extends FileOutputCommitter {
  private final Path output;
  private final Path work;

  /** As Spark makes committers. */
  public PartCommitter(Path output, TaskAttemptContext context) throws IOException {
    super(output, context);
    this.output = output;
    this.work = new Path(output, context.getTaskAttemptID().toString());
  }

  @Override
  public Path getWorkPath() {
    return work;
  }

  @Override
  public void setupJob(JobContext context) {}

  @Override
  public void setupTask(TaskAttemptContext context) {}

  @Override
  public boolean needsTaskCommit(TaskAttemptContext context) {
    return false;
  }

  @Override
  public void commitTask(TaskAttemptContext context) {}

  @Override
  public void abortTask(TaskAttemptContext context) throws IOException {
    work.getFileSystem(context.getConfiguration()).delete(work, true);
  }

  @Override
  public void commitJob(JobContext context) {}

  @Override
  @Deprecated
  public void cleanupJob(JobContext context) {}

  @Override
  public void abortJob(JobContext context, org.apache.hadoop.mapreduce.JobStatus.State state)
      throws IOException {
    output.getFileSystem(context.getConfiguration()).delete(output, true);
  }
}
