package io.groundswell.spark.views.dataflow.source;

import io.groundswell.spark.views.decode.PushedFilters;

/**
 * Which source an operator reads, and what it wants of its rows.
 *
 * @param name its name in the query
 * @param tag its number in the union of all sources
 * @param rowId whether rows get a hidden id
 * @param eventTime position of the time of a row's event; -1 if the source has no watermark
 * @param late whether the rows are meant that came behind the watermark
 * @param filters over its columns that its readers begin with
 */
public record SourceReading(
    String name, int tag, boolean rowId, int eventTime, boolean late, PushedFilters filters) {}
