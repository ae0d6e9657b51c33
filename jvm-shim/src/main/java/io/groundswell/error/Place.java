package io.groundswell.error;

import java.io.Serializable;
import java.util.List;

/**
 * Where in a pipeline something failed. Messages have it as text, callers as names: a name may be
 * like any text.
 *
 * @param views the nearest views that it feeds, or is
 * @param sources that feed it
 */
public record Place(List<String> views, List<String> sources) implements Serializable {
  private static final long serialVersionUID = 1L;

  public Place {
    views = List.copyOf(views);
    sources = List.copyOf(sources);
  }

  /**
   * A view may have the name of a source, so another sign stands between them than between names.
   */
  @Override
  public String toString() {
    return (views.isEmpty() ? "" : "view " + String.join(", ", views) + "; ")
        + (sources.isEmpty() ? "no source" : "source " + String.join(", ", sources));
  }
}
