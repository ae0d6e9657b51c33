package io.groundswell.jdbc;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;

/** A database that a sink writes to: one connection, whose transactions Python begins and ends. */
public final class JdbcTarget implements AutoCloseable {
  private static final int BATCH = 1000;

  /** TIME and TIMESTAMP, without and with time zone. */
  private static final Set<Integer> TIMES =
      Set.of(Types.TIME, Types.TIMESTAMP, Types.TIME_WITH_TIMEZONE, Types.TIMESTAMP_WITH_TIMEZONE);

  /** Where the code of a column's type is, and its digits, in what {@link #columns} tells. */
  private static final int TYPE = 2;

  private static final int DIGITS = 4;

  private final Connection connection;

  private JdbcTarget(Connection connection) {
    this.connection = connection;
  }

  /**
   * Connects. Transactions see what others have committed, where the database can do that.
   *
   * @param driver name of the driver's class; empty: the first that takes the URL
   * @throws JdbcFailure as every method here, with what the driver says
   */
  public static JdbcTarget open(String url, String driver, Map<String, String> given) {
    Properties properties = new Properties();
    properties.putAll(given);
    try {
      Connection made = Drivers.connect(url, driver, properties);
      made.setAutoCommit(false);
      DatabaseMetaData facts = made.getMetaData();
      if (facts.supportsTransactionIsolationLevel(Connection.TRANSACTION_READ_COMMITTED)) {
        made.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      }
      return new JdbcTarget(made);
    } catch (SQLException e) {
      throw JdbcFailure.of(e);
    }
  }

  /** The product's name, the quote of identifiers, and how it stores names without quotes. */
  public List<String> facts() {
    return asked(() -> {
      DatabaseMetaData facts = connection.getMetaData();
      String stores = facts.storesUpperCaseIdentifiers() ? "upper"
          : facts.storesLowerCaseIdentifiers()           ? "lower"
                                                         : "mixed";
      return List.of(
          facts.getDatabaseProductName(), facts.getIdentifierQuoteString().trim(), stores);
    });
  }

  /**
   * The columns of a table: name, type, code of the type, size, digits, and whether a row without
   * a value for it is refused.
   *
   * @param schema empty: the current one
   */
  public List<List<Object>> columns(String schema, String table) {
    return asked(() -> {
      List<List<Object>> found = new ArrayList<>();
      DatabaseMetaData facts = connection.getMetaData();
      try (ResultSet rows =
               facts.getColumns(catalog(), place(schema), literal(facts, table), null)) {
        while (rows.next()) {
          boolean free = rows.getInt("NULLABLE") != DatabaseMetaData.columnNoNulls
              || rows.getString("COLUMN_DEF") != null
              || "YES".equals(rows.getString("IS_AUTOINCREMENT"));
          found.add(new ArrayList<>(List.of(rows.getString("COLUMN_NAME"),
              rows.getString("TYPE_NAME"), rows.getInt("DATA_TYPE"), rows.getInt("COLUMN_SIZE"),
              rows.getInt("DECIMAL_DIGITS"), !free)));
        }
      }
      if (found.stream().anyMatch(JdbcTarget::isTimeWithoutFraction)) {
        takeFractions(found, schema, table);
      }
      return found;
    });
  }

  private static boolean isTimeWithoutFraction(List<Object> column) {
    return TIMES.contains(column.get(TYPE)) && column.get(DIGITS).equals(0);
  }

  /** HSQLDB tells the digits after a second's point of results, and not of tables. */
  private void takeFractions(List<List<Object>> columns, String schema, String table)
      throws SQLException {
    String quote = connection.getMetaData().getIdentifierQuoteString().trim();
    UnaryOperator<String> quoted =
        name -> quote + (quote.isEmpty() ? name : name.replace(quote, quote + quote)) + quote;
    String place = schema.isEmpty() ? "" : quoted.apply(schema) + ".";
    try (Statement statement = connection.createStatement();
        ResultSet none = statement.executeQuery(
            "SELECT * FROM " + place + quoted.apply(table) + " WHERE 1 = 0")) {
      ResultSetMetaData facts = none.getMetaData();
      for (int i = 1; i <= facts.getColumnCount(); i++) {
        String name = facts.getColumnName(i);
        int digits = Math.max(facts.getScale(i), 0);
        columns.stream()
            .filter(each -> each.get(0).equals(name) && isTimeWithoutFraction(each))
            .forEach(each -> each.set(DIGITS, digits));
      }
    }
  }

  /** The names of the columns of each unique index of a table, its primary key among them. */
  public List<List<String>> uniques(String schema, String table) {
    return asked(() -> {
      Map<String, List<String>> found = new java.util.LinkedHashMap<>();
      DatabaseMetaData facts = connection.getMetaData();
      try (ResultSet rows = facts.getPrimaryKeys(catalog(), place(schema), table)) {
        while (rows.next()) {
          named(found, "").add(rows.getString("COLUMN_NAME"));
        }
      }
      try (ResultSet rows = facts.getIndexInfo(catalog(), place(schema), table, true, true)) {
        while (rows.next()) {
          if (rows.getString("COLUMN_NAME") != null) {
            named(found, "i" + rows.getString("INDEX_NAME")).add(rows.getString("COLUMN_NAME"));
          }
        }
      }
      return List.copyOf(found.values());
    });
  }

  private static List<String> named(Map<String, List<String>> found, String index) {
    return found.computeIfAbsent(index, none -> new ArrayList<>());
  }

  private String catalog() throws SQLException {
    return connection.getCatalog();
  }

  private String place(String schema) throws SQLException {
    if (!schema.isEmpty()) {
      return schema;
    }
    try {
      return connection.getSchema();
    } catch (SQLException | AbstractMethodError e) {
      return null; // a database without schemas
    }
  }

  /** A name as a pattern that finds it alone. */
  private static String literal(DatabaseMetaData facts, String name) throws SQLException {
    String escape = facts.getSearchStringEscape();
    if (escape == null || escape.isEmpty()) {
      return name;
    }
    return name.replace(escape, escape + escape)
        .replace("_", escape + "_")
        .replace("%", escape + "%");
  }

  /** Runs a statement. */
  public void run(String sql) {
    asked(() -> {
      try (Statement statement = connection.createStatement()) {
        statement.execute(sql);
      }
      return "";
    });
  }

  /** Runs a statement with texts and numbers; how many rows it changed. */
  public int update(String sql, List<Object> values) {
    return asked(() -> {
      try (PreparedStatement statement = prepared(sql, values)) {
        return statement.executeUpdate();
      }
    });
  }

  /** The rows of a query, as texts. */
  public List<List<String>> query(String sql, List<Object> values) {
    return asked(() -> {
      List<List<String>> found = new ArrayList<>();
      try (PreparedStatement statement = prepared(sql, values);
          ResultSet rows = statement.executeQuery()) {
        int width = rows.getMetaData().getColumnCount();
        while (rows.next()) {
          List<String> row = new ArrayList<>();
          for (int i = 1; i <= width; i++) {
            row.add(rows.getString(i));
          }
          found.add(row);
        }
      }
      return found;
    });
  }

  private PreparedStatement prepared(String sql, List<Object> values) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.size(); i++) {
      if (values.get(i) instanceof Number number) {
        statement.setLong(i + 1, number.longValue());
      } else {
        statement.setString(i + 1, (String) values.get(i));
      }
    }
    return statement;
  }

  /**
   * Runs a statement for each row.
   *
   * @param places of its parameters: which column each is
   * @param otherwise run for the rows for which the first one changed nothing; empty: it is enough
   * @param stream rows as Arrow's stream
   * @param kinds a {@link Cells} for each column
   */
  public void write(String sql, List<Integer> places, String otherwise, List<Integer> otherPlaces,
      byte[] stream, List<String> kinds) {
    asked(() -> {
      List<Cells> cells =
          kinds.stream().map(kind -> Cells.valueOf(kind.toUpperCase(Locale.ROOT))).toList();
      try (RootAllocator memory = new RootAllocator();
          ArrowStreamReader reader =
              new ArrowStreamReader(new ByteArrayInputStream(stream), memory);
          PreparedStatement first = connection.prepareStatement(sql);
          PreparedStatement second =
              otherwise.isEmpty() ? null : connection.prepareStatement(otherwise)) {
        VectorSchemaRoot rows = reader.getVectorSchemaRoot();
        while (reader.loadNextBatch()) {
          for (int from = 0; from < rows.getRowCount(); from += BATCH) {
            int to = Math.min(from + BATCH, rows.getRowCount());
            int[] changed = batch(first, places, rows, cells, from, to, null);
            if (second != null) {
              batch(second, otherPlaces, rows, cells, from, to, changed);
            }
          }
        }
      }
      return "";
    });
  }

  /** Runs a statement for some rows; {@code changed}: only for those where it is 0. */
  private static int[] batch(PreparedStatement statement, List<Integer> places,
      VectorSchemaRoot rows, List<Cells> cells, int from, int to, int[] changed)
      throws SQLException {
    int some = 0;
    for (int row = from; row < to; row++) {
      if (changed != null && changed[row - from] == Statement.SUCCESS_NO_INFO) {
        throw JdbcFailure.of("GS002", "the driver does not say how many rows a batch changed");
      }
      if (changed == null || changed[row - from] == 0) {
        for (int i = 0; i < places.size(); i++) {
          FieldVector column = rows.getVector(places.get(i));
          cells.get(places.get(i)).bind(statement, i + 1, column, row);
        }
        statement.addBatch();
        some++;
      }
    }
    return some == 0 ? new int[0] : statement.executeBatch();
  }

  /** Commits what was done. */
  public void commit() {
    asked(() -> {
      connection.commit();
      return "";
    });
  }

  /** Takes back what was not committed. */
  public void rollback() {
    asked(() -> {
      connection.rollback();
      return "";
    });
  }

  /** Takes back what was not committed, and disconnects. */
  @Override
  public void close() {
    asked(() -> {
      try {
        connection.rollback();
      } finally {
        connection.close();
      }
      return "";
    });
  }

  /** What is asked of a driver. */
  private interface Asked<T> {
    T answer() throws SQLException, IOException;
  }

  private static <T> T asked(Asked<T> question) {
    try {
      return question.answer();
    } catch (SQLException e) {
      throw JdbcFailure.of(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
