package io.groundswell.spark.views.entry;

import io.groundswell.spark.shims.Algebra;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.QueryExecutionListener;

/** Writes to tables of a pipeline. */
public final class TableFiles {
  /** Others cut timestamps, move dates of the Julian calendar or refuse them. */
  private static final List<String[]> EXACT =
      List.of(new String[] {"spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS"},
          new String[] {"spark.sql.parquet.datetimeRebaseModeInWrite", "CORRECTED"},
          new String[] {"spark.sql.parquet.writeLegacyFormat", "false"});

  private TableFiles() {}

  /**
   * The same rows with columns of these types, in a session whose Parquet files give back what was
   * written. A value that is none of its column's type fails, also where ANSI mode is off.
   *
   * @param schema as JSON, of as many columns as the rows have
   */
  public static Dataset<Row> exact(Dataset<Row> rows, String schema) {
    SparkSession user = Catalyst.session(rows);
    LogicalPlan given = Catalyst.analyzed(rows);
    List<Attribute> columns = Scala.list(given.output());
    StructField[] fields = ((StructType) DataType.fromJson(schema)).fields();
    List<NamedExpression> list = new ArrayList<>();
    for (int i = 0; i < fields.length; i++) {
      Expression value = Algebra.ansiCast(columns.get(i), fields[i].dataType());
      list.add(Catalyst.alias(value, fields[i].name()));
    }
    LogicalPlan plan = Catalyst.project(list, given);
    if (EXACT.stream().allMatch(s -> user.conf().get(s[0]).equalsIgnoreCase(s[1]))) {
      return Catalyst.ofRows(user, plan);
    }
    SparkSession session = Catalyst.cloneWith(user, EXACT);
    session.listenerManager().register(new Observations(user));
    return Catalyst.ofRows(session, plan);
  }

  /** Completes what the user observes of the rows, for that stays with the session. */
  private record Observations(SparkSession user) implements QueryExecutionListener {
    @Override
    public void onSuccess(String function, QueryExecution execution, long nanos) {
      user.observationManager().tryComplete(execution);
    }

    @Override
    public void onFailure(String function, QueryExecution execution, Exception error) {
      user.observationManager().tryComplete(execution);
    }
  }
}
