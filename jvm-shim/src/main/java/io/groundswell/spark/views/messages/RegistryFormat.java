package io.groundswell.spark.views.messages;

import io.groundswell.spark.shims.MessageFormat;
import io.groundswell.spark.views.contract.messages.MessageSpec;
import io.groundswell.spark.views.contract.messages.RegisteredSchema;
import io.groundswell.spark.views.messages.spi.Unreadable;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStores;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.util.SerializableConfiguration;

/**
 * Messages that begin with the id of their schema: a zero byte, and four of the id. A message is a
 * struct of its columns, {@code row}, and of why it has none, {@code wrong}.
 *
 * @param spec what is read
 * @param reader the schema that the columns are read by; null: the registry did not answer
 * @param folder where schemas are kept; null: nowhere
 * @param conf to open the folder with; null: without one
 */
public record RegistryFormat(MessageSpec spec, RegisteredSchema reader, String folder,
    Broadcast<SerializableConfiguration> conf) implements MessageFormat {
  private static final long serialVersionUID = 1L;
  private static final int ID_BYTES = 5;

  @Override
  public DataType dataType() {
    return new StructType(new StructField[] {DataTypes.createStructField("row", row(), true),
        DataTypes.createStructField("wrong", DataTypes.StringType, true)});
  }

  private DataType row() {
    if (!spec.shape().equals("envelope")) {
      return spec.columns();
    }
    return new StructType(
        new StructField[] {DataTypes.createStructField("op", DataTypes.StringType, true),
            DataTypes.createStructField("before", spec.columns(), true),
            DataTypes.createStructField("after", spec.columns(), true)});
  }

  /** The schemas that this reads by. */
  Schemas schemas() {
    ObjectStore store = folder == null ? null : ObjectStores.open(folder, conf.value().value());
    return new Schemas(spec.registry(), RegistryReader.isProtobuf(spec), store);
  }

  @Override
  public Reader open() {
    Decoders decoders = Decoders.of(this);
    return message -> {
      GenericInternalRow row = new GenericInternalRow(2);
      try {
        row.update(0, decoded(decoders, message));
      } catch (Unreadable e) {
        row.update(1, UTF8String.fromString(e.getMessage()));
      }
      return row;
    };
  }

  private static InternalRow decoded(Decoders decoders, byte[] message) {
    if (message.length < ID_BYTES) {
      throw new Unreadable("it has " + message.length
          + " bytes, and a schema registry's message begins with 5: a zero and its schema's id");
    }
    if (message[0] != 0) {
      throw new Unreadable(String.format(
          "it begins with the byte 0x%02x, and a schema registry's message with 0x00", message[0]));
    }
    return decoders.get(ByteBuffer.wrap(message).getInt(1)).decode(message, ID_BYTES);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RegistryFormat format && format.spec.equals(spec)
        && Objects.equals(format.reader, reader) && Objects.equals(format.folder, folder);
  }

  @Override
  public int hashCode() {
    return Objects.hash(spec, reader, folder);
  }

  /** For plans: without what lets a client in. */
  @Override
  public String toString() {
    return spec.encoding() + " " + spec.shape() + " of " + spec.subject();
  }
}
