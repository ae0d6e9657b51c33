package io.groundswell.spark.views.decode;

import org.apache.hadoop.io.Text;

/** Lines that Hadoop's reader gives: of compressed files, or with a separator of their own. */
final class HadoopLines implements Lines {
  private final scala.collection.Iterator<Text> lines;
  private byte[] bytes;

  HadoopLines(scala.collection.Iterator<Text> lines) {
    this.lines = lines;
  }

  @Override
  public boolean next() {
    if (!lines.hasNext()) {
      return false;
    }
    bytes = lines.next().copyBytes(); // Hadoop's reader has one text for all lines
    return true;
  }

  @Override
  public byte[] bytes() {
    return bytes;
  }

  @Override
  public int start() {
    return 0;
  }

  @Override
  public int length() {
    return bytes.length;
  }
}
