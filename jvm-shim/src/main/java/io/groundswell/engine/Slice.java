package io.groundswell.engine;

/** Some bytes of an array; a mutable holder that hot loops reuse. */
public final class Slice {
  public byte[] bytes;
  public int offset;
  public int length;

  public void set(byte[] newBytes, int newOffset, int newLength) {
    bytes = newBytes;
    offset = newOffset;
    length = newLength;
  }

  public byte[] copy() {
    return java.util.Arrays.copyOfRange(bytes, offset, offset + length);
  }
}
