import java.sql.*;
import java.util.Properties;

public class Reads {
  static void check(boolean right, String what) {
    if (!right)
      throw new AssertionError(what);
  }
  public static void main(String[] given) throws Exception {
    Properties user = new Properties();
    user.put("user", "ann");
    try (Connection c = DriverManager.getConnection(given[0], user)) {
      DatabaseMetaData facts = c.getMetaData();
      int columns = 0;
      try (ResultSet r = facts.getColumns(null, "public", "large", null)) {
        while (r.next()) columns++;
      }
      check(columns == 4, "columns " + columns);
      try (ResultSet r = facts.getPrimaryKeys(null, "public", "large")) {
        check(r.next() && r.getString("COLUMN_NAME").equals("id"), "primary key");
      }
      try (ResultSet r = facts.getIndexInfo(null, "public", "large", true, false)) {
        check(r.next() && r.getString("COLUMN_NAME").equals("id"), "index");
      }
      check(facts.getSQLKeywords().contains("returning"), "keywords");
      try (ResultSet r = facts.getTables(null, "public", "%", new String[] {"VIEW"})) {
        check(r.next(), "views");
      }
      try (PreparedStatement s =
               c.prepareStatement("SELECT * FROM large WHERE id = ? AND at > ? AND at < ?")) {
        for (int i = 0; i < 12; i++) { // binary from the sixth on
          s.setLong(1, i);
          s.setTimestamp(2, Timestamp.valueOf("2020-01-01 00:00:00"));
          s.setDate(3, Date.valueOf("2100-01-01"));
          try (ResultSet r = s.executeQuery()) {
            check(r.next() && r.getBigDecimal("amount").doubleValue() == i / 4.0, "row " + i);
            check(
                r.getTimestamp("at").toInstant().toString().equals(
                    java.time.Instant.parse("2026-01-01T12:00:00Z").plusSeconds(60 * i).toString()),
                "time");
          }
        }
      }
      c.setAutoCommit(false);
      try (Statement s = c.createStatement()) {
        s.setFetchSize(50);
        int n = 0;
        try (ResultSet r = s.executeQuery("SELECT * FROM large")) {
          while (r.next()) n++;
        }
        check(n == 400, "rows " + n);
      }
      c.commit();
      c.setAutoCommit(true);
      try (Statement s = c.createStatement()) {
        s.executeUpdate("INSERT INTO large VALUES (1)");
        check(false, "a write was taken");
      } catch (SQLException e) {
        check(e.getSQLState().equals("25006"), e.toString());
      }
      check(c.isValid(5) && c.getSchema().equals("public"), "valid");
    }
  }
}
