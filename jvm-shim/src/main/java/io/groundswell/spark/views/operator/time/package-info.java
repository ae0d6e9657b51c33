/**
 * What the passing of event time does to rows: {@code TemporalFilterOperator} (comparisons with the
 * barrier's clock), {@code ExpireOperator} (rows that live for a time), {@code WindowCloseOperator}
 * (rows that leave once, when the watermark has passed them).
 */
package io.groundswell.spark.views.operator.time;
