/**
 * The stateful row operators of incremental views: what one task does to one partition of one
 * operator in one barrier. {@link RowOperators#create} turns one operator of a dataflow into a
 * {@code RowOperator}, on the driver; it is serialised to the tasks, where {@code run} is called
 * once.
 *
 * <p><b>Rooms</b>, each of which uses only those before it: {@code codec} (values as bytes), {@code
 * spi} (what an operator is, and what it is told), {@code state} (its tables, and a barrier's
 * changes), then one room a family of operators: {@code aggregate}, {@code change}, {@code join},
 * {@code rank}, {@code time}, {@code view}, {@code lookup}, {@code window}. Each {@code *Operator}
 * is one delta equation, stated in its class comment.
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
 */
package io.groundswell.spark.views.operator;
