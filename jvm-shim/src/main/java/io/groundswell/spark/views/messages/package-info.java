/**
 * Messages in Avro and Protobuf whose schemas a registry has, as rows of columns.
 *
 * <p>Roles: {@code RegistryFormat} is what a plan has of it. {@code Schemas} finds schemas by their
 * ids: in memory, in the pipeline's folder, and through {@code RegistryClient} in the registry.
 * {@code Decoders} has one decoder for each schema id; {@code avro} and {@code protobuf} make them.
 *
 * <p>Invariant: a message that cannot be read is a row that says why. Only a registry that does not
 * answer, of a schema that nobody has kept, ends a task.
 */
package io.groundswell.spark.views.messages;
