/**
 * The stateful row operators of incremental views: what one task does to one partition of one
 * operator in one barrier.
 *
 * <p><b>Rows.</b> A row is the columns of its side of the plan, then {@code _weight} (int): +1
 * inserted, -1 deleted; an update is both. An operator may take its inputs in any order; it nets
 * them per stream key and gives at most one net change a key and barrier: nothing, one -, one +, or
 * a pair, - first, adjacent. Rows handed out are reused: copy what is kept.
 *
 * <p><b>State</b> lives in the tables of one {@link io.groundswell.engine.Transaction}, opened and
 * committed by the caller; an operator holds nothing between barriers. Every read of it is bound by
 * the changes of the barrier, never by the size of a table. A lookup alone reads the state of
 * another operator, as of the base, and leaves it as it is. Values are Spark's unsafe rows, or what
 * {@code ByteWriter} wrote; nothing is deserialised into code. A table of another layout must take
 * another name.
 *
 * <p><b>Flow.</b> {@link io.groundswell.spark.views.operator.RowOperators#create} turns one
 * operator of a dataflow into a {@link io.groundswell.spark.views.operator.spi.RowOperator}, on the
 * driver; it is serialised to the tasks, where {@code run} is called once. Roles: {@code *Operator}
 * (one delta equation each, stated in its class comment), {@code ChangeBuffer} (nets a barrier's
 * changes),
 * {@code ChangeIterator} (gives net changes as rows), {@code StateTable} (one table, counted reads
 * and writes), {@code RowKeys} (key bytes and partition hash), {@code OrderEncoding} (values as
 * bytes that sort), {@code Projections} (generated code, lent to a run), {@code Accumulator} (one
 * aggregate call in one group), {@code ValueMultiset} (how often a group holds a value, in order:
 * min and max under retraction), {@code DistinctValues} (the same for distinct calls), {@code
 * DistinctChanges} (what a barrier does to them), {@code ViewTables} (reads a view back), {@code
 * ViewStore} (how a view keeps its rows), {@code BundleTable}, {@code BundleCount} and {@code
 * RowList} (rows that stand in one entry together), {@code Watermarks},
 * {@code EventTimeOperator} and {@code TimeBound} (event time: what is final, and what state ends),
 * {@code TimePieces} (the sides of interval joins, cut by time), {@code WindowState} and {@code
 * WindowReach} (what of a window's partition a change can be seen from).
 */
package io.groundswell.spark.views.operator;
