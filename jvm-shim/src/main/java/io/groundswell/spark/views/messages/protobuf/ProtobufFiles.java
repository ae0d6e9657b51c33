package io.groundswell.spark.views.messages.protobuf;

import io.groundswell.spark.views.contract.messages.RegisteredSchema;
import io.groundswell.spark.views.messages.spi.Unreadable;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.orc.protobuf.AnyProto;
import org.apache.orc.protobuf.DescriptorProtos.FileDescriptorProto;
import org.apache.orc.protobuf.Descriptors.Descriptor;
import org.apache.orc.protobuf.Descriptors.DescriptorValidationException;
import org.apache.orc.protobuf.Descriptors.FileDescriptor;
import org.apache.orc.protobuf.DurationProto;
import org.apache.orc.protobuf.EmptyProto;
import org.apache.orc.protobuf.FieldMaskProto;
import org.apache.orc.protobuf.InvalidProtocolBufferException;
import org.apache.orc.protobuf.StructProto;
import org.apache.orc.protobuf.TimestampProto;
import org.apache.orc.protobuf.WrappersProto;

/** The messages of a schema, out of its compiled file and those that it imports. */
final class ProtobufFiles {
  /** Files that every compiler brings along, so that no registry has them. */
  private static final List<FileDescriptor> WELL_KNOWN = List.of(AnyProto.getDescriptor(),
      DurationProto.getDescriptor(), EmptyProto.getDescriptor(), FieldMaskProto.getDescriptor(),
      StructProto.getDescriptor(), TimestampProto.getDescriptor(), WrappersProto.getDescriptor());

  private ProtobufFiles() {}

  /**
   * The file of a schema.
   *
   * @throws Unreadable if it is none
   */
  static FileDescriptor of(RegisteredSchema schema) {
    if (!schema.type().equals("PROTOBUF")) {
      throw new Unreadable(
          "schema " + schema.id() + " is of type " + schema.type() + ", not PROTOBUF");
    }
    Map<String, FileDescriptor> known = new HashMap<>();
    WELL_KNOWN.forEach(file -> known.put(file.getName(), file));
    for (int i = 0; i < schema.names().size(); i++) {
      known.put(schema.names().get(i), file(schema.id(), schema.texts().get(i), known));
    }
    return file(schema.id(), schema.text(), known);
  }

  private static FileDescriptor file(long id, String text, Map<String, FileDescriptor> known) {
    try {
      FileDescriptorProto proto = FileDescriptorProto.parseFrom(Base64.getDecoder().decode(text));
      List<FileDescriptor> imported = new ArrayList<>();
      for (String name : proto.getDependencyList()) {
        if (known.containsKey(name)) {
          imported.add(known.get(name));
        }
      }
      // What is not there has no fields: a column of it is refused, others do not need it.
      return FileDescriptor.buildFrom(proto, imported.toArray(FileDescriptor[] ::new), true);
    } catch (IllegalArgumentException e) {
      throw new Unreadable("the registry gives schema " + id + " as text. Use one that gives it "
              + ("compiled (format=serialized), as Confluent's, Karapace and Redpanda from 25.2 on "
                  + "do"),
          e);
    } catch (InvalidProtocolBufferException | DescriptorValidationException e) {
      throw new Unreadable("schema " + id + " is no file of Protobuf: " + e.getMessage(), e);
    }
  }

  /** All messages of a file, those within others behind them. */
  static Stream<Descriptor> messages(FileDescriptor file) {
    return file.getMessageTypes().stream().flatMap(ProtobufFiles::withNested);
  }

  private static Stream<Descriptor> withNested(Descriptor message) {
    return Stream.concat(
        Stream.of(message), message.getNestedTypes().stream().flatMap(ProtobufFiles::withNested));
  }
}
