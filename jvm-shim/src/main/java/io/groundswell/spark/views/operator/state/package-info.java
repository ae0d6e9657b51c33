/**
 * An operator's tables and a barrier's changes: {@code StateTable} (one table, counted reads and
 * writes), {@code RowKeys} (key bytes and partition hash), {@code OrderEncoding} (values as bytes
 * that sort), {@code ChangeBuffer} (nets a barrier's changes), {@code KeyedChanges} and {@code
 * GroupedChanges} (collect them), {@code Passes} and {@code KeyParts} (several passes over changes
 * that do not fit into memory), {@code ChangeIterator} (gives net changes as rows), {@code
 * TimeBound} (what of a table a watermark ends), {@code TimeOrderedRows} (rows by their time),
 * {@code BundleTable}, {@code BundleCount} and {@code RowList} (rows that stand in one entry
 * together).
 */
package io.groundswell.spark.views.operator.state;
