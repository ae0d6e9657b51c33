package io.groundswell.jdbc;

import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;

/** What a driver says; Python decides by its state. */
public final class JdbcFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final SQLException said;

  private JdbcFailure(SQLException said, SQLException cause) {
    super(said.getMessage(), cause);
    this.said = said;
  }

  static JdbcFailure of(SQLException error) {
    SQLException last = error;
    while (last.getNextException() != null) {
      last = last.getNextException(); // a batch says the reason there
    }
    return new JdbcFailure(last, error);
  }

  /** A failure that no driver raised. */
  static JdbcFailure of(String state, String text) {
    return of(new SQLException(text, state));
  }

  /** SQLSTATE; empty: the driver has none. */
  public String state() {
    return said.getSQLState() == null ? "" : said.getSQLState();
  }

  /** The database's own number. */
  public int code() {
    return said.getErrorCode();
  }

  /** Whether the driver says that another try may succeed. */
  public boolean passes() {
    boolean passes = false;
    for (Throwable each = said; each != null; each = each.getCause()) {
      passes |= each instanceof SQLTransientException || each instanceof SQLRecoverableException;
    }
    return passes;
  }

  /** The driver's message. */
  public String text() {
    return String.valueOf(said.getMessage());
  }
}
