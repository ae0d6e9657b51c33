package io.groundswell.spark.views.messages;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.views.contract.messages.MessageSpec;
import io.groundswell.spark.views.contract.messages.RegisteredSchema;
import io.groundswell.spark.views.messages.avro.AvroTarget;
import io.groundswell.spark.views.messages.protobuf.ProtobufTarget;
import io.groundswell.spark.views.messages.spi.Target;
import io.groundswell.spark.views.messages.spi.Unreadable;

/** The schema that columns are read by, checked. */
public final class RegistryReader {
  private RegistryReader() {}

  /**
   * The schema of a subject, once its columns are found in it.
   *
   * @throws UnansweredException if the registry does not answer
   * @throws EngineException {@code SOURCE} if there is none, or it does not have the columns
   */
  public static RegisteredSchema of(MessageSpec spec) {
    RegisteredSchema found = found(spec);
    try {
      target(spec, found);
    } catch (Unreadable e) {
      throw new EngineException(ErrorCode.SOURCE,
          "schema " + found.id() + " of subject " + spec.subject()
              + " does not have the columns: " + e.getMessage() + hint(spec, found),
          e);
    }
    return found;
  }

  /** The columns of a subject, as DDL, those that no type holds left out. */
  public static String columns(MessageSpec spec) {
    return columns(found(spec), spec);
  }

  private static String hint(MessageSpec spec, RegisteredSchema found) {
    try {
      return ". Its columns are: " + columns(found, spec);
    } catch (Unreadable none) {
      return "";
    }
  }

  private static String columns(RegisteredSchema found, MessageSpec spec) {
    return isProtobuf(spec) ? ProtobufTarget.columns(spec, found) : AvroTarget.columns(found);
  }

  /** Whether schemas are wanted compiled. */
  static boolean isProtobuf(MessageSpec spec) {
    return spec.encoding().equals("protobuf");
  }

  static Target target(MessageSpec spec, RegisteredSchema reader) {
    return isProtobuf(spec) ? new ProtobufTarget(spec, reader) : new AvroTarget(spec, reader);
  }

  private static RegisteredSchema found(MessageSpec spec) {
    RegisteredSchema found = new Schemas(spec.registry(), isProtobuf(spec), null)
                                 .ofSubject(spec.subject(), spec.version());
    if (found == null) {
      String version = spec.version().equals("latest") ? "" : " of version " + spec.version();
      throw new EngineException(ErrorCode.SOURCE,
          RegistryClient.place(spec.registry()) + " has no subject " + spec.subject() + version
              + ". Register the schema there, or give the subject that has it");
    }
    return found;
  }
}
