package io.groundswell.spark.sql;

import io.groundswell.spark.contract.Documents;
import io.groundswell.spark.views.contract.sql.SqlAnswer;
import io.groundswell.spark.views.contract.sql.SqlRequest;
import org.apache.spark.sql.SparkSession;

/** The bridge to Python's side of the statements. */
public final class Statements {
  private static volatile StatementHandler handler;

  private Statements() {}

  /** Makes {@code answering} the one that is asked; Python calls it once a process. */
  public static void register(StatementHandler answering) {
    handler = answering;
  }

  static boolean registered() {
    return handler != null;
  }

  /**
   * @throws StatementException if Python says so, or there is no Python, nor can it be started
   */
  static SqlAnswer ask(SparkSession session, SqlRequest request) {
    if (handler == null) {
      PythonHelper.start(session, Statements::registered);
    }
    SqlAnswer answer =
        Documents.read(handler.ask(session, Documents.write(request)), SqlAnswer.class);
    if (answer instanceof SqlAnswer.Failed failed) {
      throw new StatementException(failed.text());
    }
    return answer;
  }

  /** The same in the session at work; null if what it asks for is not there. */
  static <T extends SqlAnswer> T find(SqlRequest request, Class<T> kind) {
    SqlAnswer answer = ask(SparkSession.active(), request);
    return answer instanceof SqlAnswer.Missing ? null : kind.cast(answer);
  }

  /**
   * What an epoch range of a table or view has.
   *
   * @throws StatementException if it was dropped since the reader was made
   */
  static <T extends SqlAnswer> T changes(SqlRequest.LoadChanges asked, Class<T> kind) {
    T found = find(asked, kind);
    if (found == null) {
      String name = String.join(".", asked.namespace()) + "." + asked.name();
      throw new StatementException("[GROUNDSWELL.SourceLost] " + name
          + " was dropped, or its pipeline was: what it had is not read any further. Stop this "
          + "stream, and begin another one over what is there");
    }
    return found;
  }
}
