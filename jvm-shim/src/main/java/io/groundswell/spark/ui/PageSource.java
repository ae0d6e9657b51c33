package io.groundswell.spark.ui;

/** Draws pages; Python implements it. */
@FunctionalInterface
public interface PageSource {
  /**
   * What a path gives.
   *
   * @param path below the tab's own, as {@code /style.css}
   * @param query behind the question mark; empty if there is none
   * @return the content's type, a line break, then the content; empty if there is no such path
   */
  String answer(String path, String query);
}
