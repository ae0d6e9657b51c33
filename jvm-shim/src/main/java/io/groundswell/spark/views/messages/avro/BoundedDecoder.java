package io.groundswell.spark.views.messages.avro;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.Decoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.util.Utf8;

/** Avro's decoder of bytes, which makes no room for more than there is. */
final class BoundedDecoder extends Decoder {
  /** As many items without any bytes, such as nulls, an array may have. */
  private static final int MOST_EMPTY = 1 << 16;

  private final BinaryDecoder bytes;

  BoundedDecoder(byte[] message, int at) {
    this.bytes = DecoderFactory.get().binaryDecoder(message, at, message.length - at, null);
  }

  int left() throws IOException {
    return bytes.inputStream().available();
  }

  private byte[] text() throws IOException {
    long length = bytes.readLong();
    if (length < 0 || length > left()) {
      throw new EOFException("a value of " + length + " bytes, and " + left() + " are left");
    }
    byte[] text = new byte[(int) length];
    bytes.readFixed(text);
    return text;
  }

  private long items(long count) throws IOException {
    if (count < 0 || count > Math.max(left(), MOST_EMPTY)) {
      throw new EOFException(count + " items, and " + left() + " bytes are left");
    }
    return count;
  }

  @Override
  public Utf8 readString(Utf8 old) throws IOException {
    return new Utf8(text());
  }

  @Override
  public String readString() throws IOException {
    return readString(null).toString();
  }

  @Override
  public ByteBuffer readBytes(ByteBuffer old) throws IOException {
    return ByteBuffer.wrap(text());
  }

  @Override
  public long readArrayStart() throws IOException {
    return items(bytes.readArrayStart());
  }

  @Override
  public long arrayNext() throws IOException {
    return items(bytes.arrayNext());
  }

  @Override
  public long readMapStart() throws IOException {
    return items(bytes.readMapStart());
  }

  @Override
  public long mapNext() throws IOException {
    return items(bytes.mapNext());
  }

  @Override
  public long skipArray() throws IOException {
    return items(bytes.skipArray());
  }

  @Override
  public long skipMap() throws IOException {
    return items(bytes.skipMap());
  }

  @Override
  public void readNull() throws IOException {
    bytes.readNull();
  }

  @Override
  public boolean readBoolean() throws IOException {
    return bytes.readBoolean();
  }

  @Override
  public int readInt() throws IOException {
    return bytes.readInt();
  }

  @Override
  public long readLong() throws IOException {
    return bytes.readLong();
  }

  @Override
  public float readFloat() throws IOException {
    return bytes.readFloat();
  }

  @Override
  public double readDouble() throws IOException {
    return bytes.readDouble();
  }

  @Override
  public void skipString() throws IOException {
    bytes.skipString();
  }

  @Override
  public void skipBytes() throws IOException {
    bytes.skipBytes();
  }

  @Override
  public void readFixed(byte[] into, int start, int length) throws IOException {
    bytes.readFixed(into, start, length);
  }

  @Override
  public void skipFixed(int length) throws IOException {
    bytes.skipFixed(length);
  }

  @Override
  public int readEnum() throws IOException {
    return bytes.readEnum();
  }

  @Override
  public int readIndex() throws IOException {
    return bytes.readIndex();
  }
}
