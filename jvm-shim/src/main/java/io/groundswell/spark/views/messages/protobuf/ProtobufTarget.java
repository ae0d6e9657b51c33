package io.groundswell.spark.views.messages.protobuf;

import io.groundswell.spark.views.contract.messages.MessageSpec;
import io.groundswell.spark.views.contract.messages.RegisteredSchema;
import io.groundswell.spark.views.messages.spi.Decoder;
import io.groundswell.spark.views.messages.spi.Target;
import io.groundswell.spark.views.messages.spi.Unreadable;
import io.groundswell.spark.views.messages.spi.Value;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.orc.protobuf.CodedInputStream;
import org.apache.orc.protobuf.Descriptors.Descriptor;
import org.apache.orc.protobuf.Descriptors.FileDescriptor;
import org.apache.orc.protobuf.DynamicMessage;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** A message of a subject's schema, and its columns. */
public final class ProtobufTarget implements Target {
  private static final int MOST_NESTED = 100;

  private final MessageSpec spec;
  private final StructType columns;
  private final Descriptor message;

  /**
   * @param spec what is read
   * @param reader the subject's schema
   * @throws Unreadable if the columns are not of it
   */
  public ProtobufTarget(MessageSpec spec, RegisteredSchema reader) {
    this.spec = spec;
    StructType given = (StructType) spec.columns();
    this.columns = spec.shape().equals("envelope")
        ? new StructType(new StructField[] {
              field("op", DataTypes.StringType), field("before", given), field("after", given)})
        : given;
    this.message = message(ProtobufFiles.of(reader), spec.message());
    value(message); // refuses what does not fit
  }

  private static StructField field(String name, DataType type) {
    return DataTypes.createStructField(name, type, true);
  }

  /** The columns of a schema, as DDL; those that no column holds are left out. */
  public static String columns(MessageSpec spec, RegisteredSchema schema) {
    return ProtobufNatural.columns(message(ProtobufFiles.of(schema), spec.message()));
  }

  private static Descriptor message(FileDescriptor file, String name) {
    List<Descriptor> all = ProtobufFiles.messages(file).toList();
    return all.stream()
        .filter(each -> name == null || each.getFullName().equals(name))
        .findFirst()
        .orElseThrow(
            ()
                -> new Unreadable("it has no message " + name + ", but "
                    + all.stream().map(Descriptor::getFullName).collect(Collectors.joining(", "))));
  }

  private Value value(Descriptor wrote) {
    return ProtobufValues.message(message, wrote, columns, "", spec.shape().equals("key"));
  }

  @Override
  public Decoder decoder(RegisteredSchema writer) {
    FileDescriptor file = ProtobufFiles.of(writer);
    Map<List<Integer>, One> known = new ConcurrentHashMap<>();
    String which = "schema id " + writer.id();
    return (bytes, at) -> {
      try {
        CodedInputStream in = CodedInputStream.newInstance(bytes, at, bytes.length - at);
        List<Integer> path = path(in);
        One one = known.computeIfAbsent(path, key -> one(file, key));
        DynamicMessage found = DynamicMessage.parseFrom(one.message, in);
        return (InternalRow) one.value.of(found);
      } catch (IOException e) {
        throw new Unreadable(
            "by " + which + ", it is no message of Protobuf: " + e.getMessage(), e);
      } catch (Unreadable e) {
        throw new Unreadable("by " + which + ", " + e.getMessage(), e);
      }
    };
  }

  /** A message of the writer's, and its values as columns. */
  private record One(Descriptor message, Value value) {}

  /** Which message it is: positions from the file inwards; nothing at all means the first one. */
  private static List<Integer> path(CodedInputStream in) throws IOException {
    int count = in.readSInt32();
    if (count < 0 || count > MOST_NESTED) {
      throw new Unreadable("it names its message by " + count + " numbers");
    }
    Integer[] path = new Integer[Math.max(1, count)];
    path[0] = 0;
    for (int i = 0; i < count; i++) {
      path[i] = in.readSInt32();
    }
    return List.of(path);
  }

  private One one(FileDescriptor file, List<Integer> path) {
    List<Descriptor> here = file.getMessageTypes();
    Descriptor found = null;
    for (int at : path) {
      if (at < 0 || at >= here.size()) {
        throw new Unreadable("its schema has no message at " + path);
      }
      found = here.get(at);
      here = found.getNestedTypes();
    }
    if (!found.getFullName().equals(message.getFullName())) {
      throw new Unreadable(
          "it is a " + found.getFullName() + ", and " + message.getFullName() + " is read");
    }
    return new One(found, value(found));
  }
}
