// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow.part;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * A column by which rows are done when watermarks have passed.
 *
 * @param column its ref
 * @param kind what it holds: a time, the end of a window, a window, or a session
 * @param sources ids of those whose watermarks count; the earliest does
 * @param through ids of the expressions that made the value, step by step; of several in a step
 *     the one with the smallest result counts
 * @param offset microseconds to add to the watermark before these steps
 * @param shift microseconds to add to what they give
 */
public record WatermarkSpec(String column, String kind, List<String> sources,
    List<List<String>> through, long offset, long shift) implements Serializable {
  private static final long serialVersionUID = 1L;

  public WatermarkSpec {
    Checks.present(column, "column");
    Checks.present(kind, "kind");
    sources = Checks.list(sources, "sources");
    through = Checks.list(through, "through");
  }
}
