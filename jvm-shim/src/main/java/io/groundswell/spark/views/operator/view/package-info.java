/**
 * A view's own rows: {@code MaterializeOperator} writes them, {@code ViewTables} reads them back.
 * {@code ViewStore} is how they are kept: by key ({@code KeyedView}), or many in one entry ({@code
 * BundledView}, {@code GroupedView}). {@code TrackedChanges} keeps what a sink is owed.
 */
package io.groundswell.spark.views.operator.view;
