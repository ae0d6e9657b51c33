package io.groundswell.spark.views.decode;

/** A text that Spark's own parser has to read. One instance, without a stack: it is no error. */
final class Unusual extends RuntimeException {
  private static final long serialVersionUID = 1L;

  static final Unusual TEXT = new Unusual();

  private Unusual() {
    super("a text for Spark's own parser", null, false, false);
  }
}
