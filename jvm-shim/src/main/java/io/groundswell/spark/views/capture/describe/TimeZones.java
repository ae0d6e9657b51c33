package io.groundswell.spark.views.capture.describe;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** Ids of time zones in definitions. */
public final class TimeZones {
  private TimeZones() {}

  /**
   * One id for all zones of one fixed offset: machines call theirs UTC, Etc/UTC, GMT or Zulu, and
   * views must go on where a pipeline is moved from one to another.
   */
  public static String plain(String id) {
    try {
      ZoneId zone = ZoneId.of(id, ZoneId.SHORT_IDS).normalized();
      return zone.equals(ZoneOffset.UTC) ? "UTC" : zone instanceof ZoneOffset ? zone.getId() : id;
    } catch (DateTimeException e) {
      return id; // Spark has more forms, such as +1:0
    }
  }
}
