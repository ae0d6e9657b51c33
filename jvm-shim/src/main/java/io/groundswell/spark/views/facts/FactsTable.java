package io.groundswell.spark.views.facts;

import io.groundswell.spark.views.facts.Facts.CanFail;
import io.groundswell.spark.views.facts.Facts.ComparableBy;
import io.groundswell.spark.views.facts.Facts.Retractable;
import io.groundswell.spark.views.facts.Facts.VariesWith;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Expression;

/** The facts of all classes that are known. */
public final class FactsTable {
  /** Comes before the names of classes in the table. */
  public static final String SPARK = "org.apache.spark.sql.";

  private static final String FILE = "facts.txt";
  private static final Map<String, Facts> ROWS = read();

  private FactsTable() {}

  /** The facts of an expression's class. */
  public static Facts of(Expression expression) {
    return of(expression.getClass().getName());
  }

  /** The facts of the class of that name. */
  public static Facts of(String name) {
    return ROWS.getOrDefault(name, Facts.UNKNOWN);
  }

  /** The full names of all classes that have a row. */
  public static Set<String> names() {
    return ROWS.keySet();
  }

  private static Map<String, Facts> read() {
    Map<String, Facts> rows = new HashMap<>();
    Rows.of(FILE).forEach(cells -> add(cells, rows));
    return Map.copyOf(rows);
  }

  private static void add(List<String> cells, Map<String, Facts> rows) {
    String name = cells.get(0).contains("groundswell") ? cells.get(0) : SPARK + cells.get(0);
    String comparable = cells.get(3).equals("-") ? "none" : cells.get(3);
    Facts facts =
        new Facts(word(VariesWith.class, cells.get(1)), word(Retractable.class, cells.get(2)),
            word(ComparableBy.class, comparable), word(CanFail.class, cells.get(4)), cells.get(6));
    if (rows.put(name, facts) != null) {
      throw new IllegalStateException(FILE + " has two rows for " + name);
    }
  }

  private static <E extends Enum<E>> E word(Class<E> type, String word) {
    return Enum.valueOf(type, word.toUpperCase(Locale.ROOT));
  }
}
