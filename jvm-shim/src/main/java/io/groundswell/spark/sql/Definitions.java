package io.groundswell.spark.sql;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.QueryText;
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
   * @param pipeline the name of the pipeline
   * @param depth how many parts of {@code groundswell.<pipeline>} a name may leave out: 0, 1 where
   *     the catalog is the current one, 2 where the pipeline is the current namespace, too
   */
  public static Dataset<Row> query(SparkSession session, String text,
      Map<String, Dataset<Row>> relations, String pipeline, int depth) {
    List<String> whole = List.of(ViewCatalog.NAME, pipeline.toLowerCase(Locale.ROOT));
    return QueryText.query((org.apache.spark.sql.classic.SparkSession) session, text, name -> {
      List<String> prefix = name.subList(0, name.size() - 1)
                                .stream()
                                .map(part -> part.toLowerCase(Locale.ROOT))
                                .toList();
      int left = whole.size() - prefix.size();
      if (left < 0 || left > depth || !whole.subList(left, whole.size()).equals(prefix)) {
        return null;
      }
      Dataset<Row> found = relations.get(name.get(name.size() - 1).toLowerCase(Locale.ROOT));
      return found == null ? null : Catalyst.analyzed(found);
    });
  }
}
