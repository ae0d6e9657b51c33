package io.groundswell.spark.bridge;

import io.groundswell.spark.compat.Catalyst;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.util.QueryExecutionListener;

/** Writes to tables of a pipeline. */
public final class TableFiles {
  /** Others cut timestamps, move dates of the Julian calendar or refuse them. */
  private static final List<String[]> EXACT =
      List.of(new String[] {"spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS"},
          new String[] {"spark.sql.parquet.datetimeRebaseModeInWrite", "CORRECTED"},
          new String[] {"spark.sql.parquet.writeLegacyFormat", "false"});

  private TableFiles() {}

  /** The same rows, in a session whose Parquet files give back what was written. */
  public static Dataset<Row> exact(Dataset<Row> rows) {
    SparkSession user = Catalyst.session(rows);
    if (EXACT.stream().allMatch(s -> user.conf().get(s[0]).equalsIgnoreCase(s[1]))) {
      return rows;
    }
    SparkSession session = Catalyst.cloneWith(user, EXACT);
    session.listenerManager().register(new Observations(user));
    return Catalyst.ofRows(session, Catalyst.analyzed(rows));
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
