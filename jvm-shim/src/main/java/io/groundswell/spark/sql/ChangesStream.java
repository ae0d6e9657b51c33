package io.groundswell.spark.sql;

import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.types.StructType;

/**
 * A view's changes as a stream. An offset is an epoch: what it changed has been read. Of a stream
 * that begins with all rows of an epoch the first one is {@code -epoch - 1}.
 *
 * @param epochs what there is
 * @param kept the columns that the view keeps
 * @param read those to give, see {@link ChangesReader#factory}
 * @param onlyNew the view's name, if any other change than a new row is an error; else null
 */
record ChangesStream(Epochs epochs, StructType kept, StructType read, String onlyNew)
    implements MicroBatchStream {
  /** The epochs of a view, as Python knows them. */
  interface Epochs {
    /** The offset with which the stream begins. */
    long begin();

    long newest();

    InputPartition[] between(long after, long until);
  }

  @Override
  public InputPartition[] planInputPartitions(Offset after, Offset until) {
    return epochs.between(Long.parseLong(after.json()), Long.parseLong(until.json()));
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return ChangesReader.factory(kept, read, onlyNew);
  }

  @Override
  public Offset initialOffset() {
    return new Epoch(epochs.begin());
  }

  @Override
  public Offset latestOffset() {
    return new Epoch(epochs.newest());
  }

  @Override
  public Offset deserializeOffset(String json) {
    return new Epoch(Long.parseLong(json));
  }

  @Override
  public void commit(Offset end) {}

  @Override
  public void stop() {}

  private static final class Epoch extends Offset {
    private final long number;

    Epoch(long number) {
      this.number = number;
    }

    @Override
    public String json() {
      return Long.toString(number);
    }
  }
}
