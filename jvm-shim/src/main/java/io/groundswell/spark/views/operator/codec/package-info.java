/**
 * Values as bytes: {@code ByteWriter} and {@code ByteReader} (the primitives), {@code ValueCodec}
 * and
 * {@code NestedCodec} (one value of a Spark type), {@code ExactInteger} and {@code ExactDouble}
 * (numbers whose sums can be taken back without a rounding error).
 *
 * <p>Invariant: no class here knows a table, an operator or a barrier.
 */
package io.groundswell.spark.views.operator.codec;
