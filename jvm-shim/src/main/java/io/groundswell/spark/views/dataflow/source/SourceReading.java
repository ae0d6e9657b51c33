package io.groundswell.spark.views.dataflow.source;

/**
 * Which source an operator reads, and what it wants of its rows.
 *
 * @param name its name in the query
 * @param tag its number in the union of all sources
 * @param rowId whether rows get a hidden id
 * @param eventTime position of the time of a row's event; -1 if the source has no watermark
 * @param late whether the rows are meant that came behind the watermark
 */
public record SourceReading(String name, int tag, boolean rowId, int eventTime, boolean late) {}
