package io.groundswell.spark.views.facts;

import java.util.List;
import java.util.Locale;

/** What settings of Spark do to the values of expressions: the table {@code settings.txt}. */
public final class Settings {
  /** What a setting does; UNKNOWN: no row says it. */
  public enum Effect { VALUE, TOLD, NONE, UNKNOWN }

  private record Row(String beginning, boolean whole, Effect effect) {
    boolean fits(String key) {
      return whole ? key.equals(beginning) : key.startsWith(beginning);
    }
  }

  private static final String MANY = "*";
  private static final List<Row> ROWS =
      Rows.of("settings.txt").stream().map(Settings::row).toList();

  private Settings() {}

  /** What the setting of that key does: what the longest row that fits says. */
  public static Effect effect(String key) {
    Row longest = null;
    for (Row row : ROWS) {
      if (row.fits(key)
          && (longest == null || row.beginning.length() > longest.beginning.length())) {
        longest = row;
      }
    }
    return longest == null ? Effect.UNKNOWN : longest.effect;
  }

  private static Row row(List<String> cells) {
    String key = cells.get(0);
    boolean whole = !key.endsWith(MANY);
    return new Row(whole ? key : key.substring(0, key.length() - MANY.length()), whole,
        Effect.valueOf(cells.get(1).toUpperCase(Locale.ROOT)));
  }
}
