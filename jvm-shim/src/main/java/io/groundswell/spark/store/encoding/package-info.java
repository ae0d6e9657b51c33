/**
 * From Spark's rows to the engine's keys and values, and back.
 *
 * <p>Roles: {@link io.groundswell.spark.store.encoding.KeyCodec} turns a key row into (partition
 * hash, user key); one subclass for each way in which Spark says it will read
 * ({@code KeyStateEncoderSpec}); {@link io.groundswell.spark.store.encoding.KeyCodecs} chooses.
 * {@link io.groundswell.spark.store.encoding.PartitionHash} is the value that Spark's own shuffle
 * distributes by. {@link io.groundswell.spark.store.encoding.RowSplitter} cuts the bytes of a row
 * between two columns. {@link io.groundswell.spark.store.encoding.ValueList} is the value of a
 * family with many values a key.
 *
 * <p>Invariants: all keys of one table are prefix-free, since rows of one schema that agree in
 * their fixed part have the same length; {@code decode(encode(row))} has the bytes of {@code row};
 * an ordered table sorts as Spark's RocksDB provider sorts. Nothing here generates code, so
 * codecs are cheap enough for one set a task; they hold buffers and are not thread-safe.
 */
package io.groundswell.spark.store.encoding;
