package io.groundswell.spark.views.dataflow.run;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.physical.SinglePartition$;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.DataType;

/**
 * The rows of a batch query, as inserts of the first barrier that knows its state. They are read by
 * the driver, so that a task that is repeated gives the same rows under the same numbers.
 */
public final class ConstantNode extends Node {
  private static final int MAX_ROWS = 1_000_000;

  private final SparkSession session;
  private final LogicalPlan query;
  private final String state;
  private final boolean numbered;

  /**
   * @param state what tells whether the rows were given before
   * @param numbered whether a row is followed by its number
   * @param types of the query's columns, the number if any, and the weight
   */
  public ConstantNode(int id, SparkSession session, LogicalPlan query, String state,
      boolean numbered, List<DataType> types) {
    super(id, id + " (constant)", types, SinglePartition$.MODULE$);
    this.session = session;
    this.query = query;
    this.state = state;
    this.numbered = numbered;
  }

  /** It is read by one operator only, which keeps the state. */
  @Override
  boolean cheap() {
    return true;
  }

  @Override
  RDD<InternalRow> rows(Barrier barrier) {
    if (barrier.base(state, 1) != null) {
      return null;
    }
    InternalRow[] read = Catalyst.withActive(
        session, () -> Catalyst.prepare(session, query).executeTake(MAX_ROWS + 1));
    if (read.length > MAX_ROWS) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "the batch table " + query.nodeName() + " " + Scala.list(query.output())
              + " inside the query has more than " + MAX_ROWS
              + " rows; read it as a streaming source, gs.appends(spark.readStream...)");
    }
    UnsafeProjection unsafe = UnsafeProjection.create(types.toArray(DataType[] ::new));
    List<InternalRow> rows = new ArrayList<>(read.length);
    for (int i = 0; i < read.length; i++) {
      Object[] more = numbered ? new Object[] {(long) i, 1} : new Object[] {1};
      rows.add(unsafe.apply(new JoinedRow(read[i], new GenericInternalRow(more))).copy());
    }
    return Catalyst.parallelize(session.sparkContext(), rows, 1);
  }
}
