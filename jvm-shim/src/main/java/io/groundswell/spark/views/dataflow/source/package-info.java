/**
 * A micro-batch of Spark's, taken apart: {@code SourceSplitter} tells the branches of the union,
 * {@code SourceRows} numbers each source's rows ({@code SourceReading} says which are wanted; files
 * in
 * {@code FileOrder}; flat columns are read where they stand, {@code BatchRows}), {@code LateRows}
 * are those behind the watermark. How a source is read is made once: {@code CachedReads}.
 */
package io.groundswell.spark.views.dataflow.source;
