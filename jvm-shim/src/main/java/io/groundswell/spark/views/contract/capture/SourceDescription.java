// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/**
 * A source, or a view, that queries read.
 *
 * @param key names it within this JVM
 * @param name what the user called it; null: nothing
 * @param schema its columns
 * @param cleans whether it deletes or moves what was read
 * @param streams names of the streams that it reads, {@code ""} for one without
 * @param folders that these read, {@code ""} for one that reads none
 * @param below of one with a watermark, what is done to the stream first
 * @param watermark that it has; null: it has none
 */
public record SourceDescription(String key, String name, DataType schema, boolean cleans,
    List<String> streams, List<String> folders, String below, SourceWatermark watermark)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public SourceDescription {
    Checks.present(key, "key");
    Checks.present(schema, "schema");
    streams = Checks.list(streams, "streams");
    folders = Checks.list(folders, "folders");
  }
}
