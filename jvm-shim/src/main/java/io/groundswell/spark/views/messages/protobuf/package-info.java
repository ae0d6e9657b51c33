/**
 * Messages in Protobuf. {@code ProtobufFiles} has the descriptors of a schema, {@code
 * ProtobufTarget} the columns and the message they are of, {@code ProtobufValues} its values as
 * Spark's. The library is the copy that Spark's own ORC has under its name.
 */
package io.groundswell.spark.views.messages.protobuf;
