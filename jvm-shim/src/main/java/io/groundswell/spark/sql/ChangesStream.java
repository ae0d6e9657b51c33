package io.groundswell.spark.sql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.types.StructType;

/**
 * A view's changes as a stream. An offset is an epoch: what it changed has been read. Of a stream
 * that begins with all rows of an epoch the first one is {@code -epoch - 1}.
 *
 * @param request asks Python for epochs; says where the stream begins
 * @param kept the columns that the view keeps
 * @param read those to give, see {@link ChangesReader#factory}
 * @param onlyNew the view's name, if any other change than a new row is an error; else null
 */
record ChangesStream(ObjectNode request, StructType kept, StructType read, String onlyNew)
    implements MicroBatchStream {
  /** What Python tells of a range: a partition for each part of an epoch that has something. */
  static InputPartition[] partitions(ObjectNode asked) {
    List<InputPartition> partitions = new ArrayList<>();
    JsonNode found = Statements.ask(SparkSession.active(), asked.put("rows", true));
    for (JsonNode epoch : found.path("epochs")) {
      partitions.addAll(ChangesReader.partitions(epoch));
    }
    return partitions.toArray(InputPartition[] ::new);
  }

  @Override
  public InputPartition[] planInputPartitions(Offset after, Offset until) {
    ObjectNode asked = request.deepCopy();
    asked.put("after", Long.parseLong(after.json())).put("until", Long.parseLong(until.json()));
    return partitions(asked);
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return ChangesReader.factory(kept, read, onlyNew);
  }

  private JsonNode begin() {
    return Statements.ask(SparkSession.active(), request.deepCopy().put("begin", true));
  }

  @Override
  public Offset initialOffset() {
    return new Epoch(begin().path("before").asLong());
  }

  @Override
  public Offset latestOffset() {
    return new Epoch(begin().path("newest").asLong());
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
