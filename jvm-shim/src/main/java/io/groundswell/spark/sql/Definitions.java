package io.groundswell.spark.sql;

import io.groundswell.spark.contract.Documents;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.QueryText;
import io.groundswell.spark.views.contract.sql.SqlAnswer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Queries that define views, for Python: the pipeline's relations stand in them for their names.
 */
public final class Definitions {
  private Definitions() {}

  /**
   * The frame of a query.
   *
   * @param relations by name in lower case, what stands for a table, source or view
   * @param functions by name in lower case, a {@link SqlAnswer.FunctionAt}
   * @param pipeline the name of the pipeline
   * @param depth how many parts of {@code groundswell.<pipeline>} a name may leave out: 0, 1 where
   *     the catalog is the current one, 2 where the pipeline is the current namespace, too
   */
  public static Dataset<Row> query(SparkSession session, String text,
      Map<String, Dataset<Row>> relations, Map<String, String> functions, String pipeline,
      int depth) {
    List<String> whole = List.of(ViewCatalog.NAME, pipeline.toLowerCase(Locale.ROOT));
    QueryText.Relations relation = name -> {
      Dataset<Row> found = named(name, whole, depth, relations);
      return found == null ? null : Catalyst.analyzed(found);
    };
    QueryText.Functions function = name -> {
      String found = named(name, whole, depth, functions);
      return found == null ? null
                           : CalledFunctions.of(Documents.read(found, SqlAnswer.FunctionAt.class));
    };
    return StatementParser.defining(pipeline,
        ()
            -> QueryText.query(
                (org.apache.spark.sql.classic.SparkSession) session, text, relation, function));
  }

  /** What a name of the pipeline stands for; null: it is none. */
  private static <T> T named(
      List<String> name, List<String> whole, int depth, Map<String, T> known) {
    List<String> prefix = name.subList(0, name.size() - 1)
                              .stream()
                              .map(part -> part.toLowerCase(Locale.ROOT))
                              .toList();
    int left = whole.size() - prefix.size();
    if (left < 0 || left > depth || !whole.subList(left, whole.size()).equals(prefix)) {
      return null;
    }
    return known.get(name.get(name.size() - 1).toLowerCase(Locale.ROOT));
  }
}
