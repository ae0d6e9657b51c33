package io.groundswell.spark.views.dataflow.source;

import io.groundswell.spark.views.dataflow.exchange.OperatorRdd;
import io.groundswell.spark.views.dataflow.state.TaskClock;
import io.groundswell.spark.views.dataflow.state.TaskReport;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.hadoop.fs.Path;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.InputFileBlockHolder;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.util.CollectionAccumulator;

/**
 * A source's rows of one barrier.
 *
 * @param fields its columns
 * @param order of the files they are read from, or null
 * @param files that they are read from, as far as they can be told
 * @param read where Spark counts its rows, if that is left to this; else null
 */
public record
    SourceRows(RDD<InternalRow> fields, FileOrder order, List<Path> files, SQLMetric read) {
  private static final int ORDINAL_BITS = 40;

  /** Those of its files that are below a folder, by their path in it. */
  public List<String> filesIn(String folder) {
    String prefix = new Path(folder).toUri().getPath() + "/";
    return files.stream()
        .map(file -> file.toUri().getPath())
        .filter(path -> path.startsWith(prefix))
        .map(path -> path.substring(prefix.length()))
        .toList();
  }

  /**
   * Counts rows as they are read and makes each an insert: adds the weight +1 and, before it, the
   * hidden row id if wanted: the epoch, and (piece &lt;&lt; 40) | ordinal, where a piece is a file
   * in the order of arrival, or else a split. A row id is a function of what the source hands out,
   * never of a clock or an attempt. Rows whose event is older than the watermark are left out, or
   * have the weight 0 if they are wanted, see {@link LateRows}.
   */
  public RDD<InternalRow> changes(SourceReading source, long epoch, Long watermark,
      boolean keepLate, CollectionAccumulator<TaskReport> reports) {
    return new OperatorRdd(List.of(fields),
        new Number(source.tag(), epoch, source.rowId(), source.rowId() ? order : null,
            source.eventTime(), watermark == null ? Long.MIN_VALUE : watermark, keepLate, reports,
            read));
  }

  private record Number(int tag, long epoch, boolean rowId, FileOrder order, int eventTime,
      long watermark, boolean keepLate, CollectionAccumulator<TaskReport> reports, SQLMetric read)
      implements OperatorRdd.PartitionTask {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<InternalRow> run(
        int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
      return new Numbered(partition, inputs.get(0));
    }

    private final class Numbered implements Iterator<InternalRow> {
      private final Iterator<InternalRow> rows;
      private final BatchRows.Rows batches; // the same; null: they come one by one
      private final int partition;
      private final GenericInternalRow added = new GenericInternalRow(rowId ? 3 : 1);
      private final JoinedRow joined = new JoinedRow();
      private UTF8String file;
      private long start;
      private long position;
      private long count;
      private long late;
      private long newest = TaskReport.NO_TIME;
      private final TaskClock clock = new TaskClock();
      private InternalRow ready;
      private boolean done;

      Numbered(int partition, Iterator<InternalRow> rows) {
        this.partition = partition;
        this.rows = rows;
        this.batches = rows instanceof BatchRows.Rows columnar ? columnar : null;
        this.position = (long) partition << ORDINAL_BITS;
        if (rowId) {
          added.setLong(0, epoch);
        }
        added.setInt(rowId ? 2 : 0, 1);
      }

      @Override
      public boolean hasNext() {
        while (ready == null && !done) {
          if (more()) {
            take(rows.next());
          } else {
            done = true;
            reports.add(TaskReport.ofSource(tag, partition, count, late, clock.micros(), newest));
            if (read != null) {
              read.add(count);
            }
          }
        }
        return ready != null;
      }

      private boolean more() {
        if (!clock.isDue()) {
          return rows.hasNext();
        }
        long entered = clock.enter();
        try {
          return rows.hasNext();
        } finally {
          clock.leave(entered);
        }
      }

      private void take(InternalRow row) {
        count++;
        if (rowId) {
          if (order != null && (batches == null || batches.began())) {
            enterPiece();
          }
          added.setLong(1, position++);
        }
        boolean isLate = false;
        if (eventTime >= 0 && !row.isNullAt(eventTime)) {
          long time = row.getLong(eventTime);
          newest = Math.max(newest, time);
          isLate = time < watermark;
        }
        if (isLate) {
          late++;
        }
        if (!isLate || keepLate) {
          added.setInt(rowId ? 2 : 0, isLate ? 0 : 1);
          ready = row;
        }
      }

      @Override
      public InternalRow next() {
        if (ready == null && !hasNext()) { // compiled code has the reading in it once
          throw new NoSuchElementException();
        }
        InternalRow row = ready;
        ready = null;
        return joined.apply(row, added);
      }

      /** Starts the positions of another piece; one piece is never in two splits. */
      private void enterPiece() {
        UTF8String now = InputFileBlockHolder.getInputFilePath();
        long nowStart = InputFileBlockHolder.getStartOffset();
        if (now == file && nowStart == start) {
          return;
        }
        file = now;
        start = nowStart;
        position = (long) order.current() << ORDINAL_BITS;
      }
    }
  }
}
