package io.groundswell.jdbc;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.Properties;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** Finds drivers, also those that only Spark's class loader for added jars knows. */
final class Drivers {
  private Drivers() {}

  /**
   * @param driver name of the driver's class; empty: the first that takes the URL
   */
  static Connection connect(String url, String driver, Properties given) throws SQLException {
    Driver found = driver.isEmpty() ? accepting(url) : named(driver);
    Connection made = found == null ? null : found.connect(url, given);
    if (made == null) {
      throw JdbcFailure.of("GS001", "no driver on the class path takes this URL");
    }
    return made;
  }

  private static Driver named(String driver) {
    try {
      Class<?> found = Class.forName(driver, true, loader());
      return (Driver) found.getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException | LinkageError | ClassCastException e) {
      throw JdbcFailure.of("GS001", "there is no driver " + driver + " on the class path");
    }
  }

  private static Driver accepting(String url) throws SQLException {
    Iterator<Driver> all = ServiceLoader.load(Driver.class, loader()).iterator();
    while (true) {
      try {
        if (!all.hasNext()) {
          return null;
        }
        Driver each = all.next();
        if (each.acceptsURL(url)) {
          return each;
        }
      } catch (ServiceConfigurationError e) {
        continue; // a driver that cannot be loaded is none
      }
    }
  }

  private static ClassLoader loader() {
    ClassLoader own = Thread.currentThread().getContextClassLoader();
    return own == null ? Drivers.class.getClassLoader() : own;
  }
}
