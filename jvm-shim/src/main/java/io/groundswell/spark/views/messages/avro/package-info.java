/**
 * Messages in Avro. {@code AvroTarget} has the part of the subject's schema that the columns need,
 * and Avro resolves each writer's schema to it; {@code AvroValues} are its values as Spark's, with
 * {@code AvroTimes} for logical types. {@code BoundedDecoder} believes no length that a damaged
 * message claims.
 */
package io.groundswell.spark.views.messages.avro;
